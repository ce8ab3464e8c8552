-- Reads DEAD events in order of creation. Arguments: the member before the page or '', the largest number.

local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids, reply = {}, {}
for i, member in ipairs(redis.call('ZRANGE', DEAD, from, '+', 'BYLEX', 'LIMIT', 0, tonumber(ARGV[2]))) do
  ids[i] = string.sub(member, CREATED_DIGITS + 1)
end
local events, bodies = load_events(ids), fields_of(BODY, ids)
for i, id in ipairs(ids) do tell(reply, events[id], bodies[i]) end
return reply

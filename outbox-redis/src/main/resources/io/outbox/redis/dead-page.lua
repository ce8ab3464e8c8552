-- Reads DEAD events in order of creation. Returns the member behind which to go on, '' at the end, damaged entries, and the
-- events. Bodies are read of those only that are returned. Arguments: the member before the page or '', the largest number, '=' and a type or ''.

local LOOK = 1000 -- how many events are looked at in one call where a type is asked for

local limit = tonumber(ARGV[2])
local type = ARGV[3] ~= '' and string.sub(ARGV[3], 2) or nil
local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local size = type and math.max(LOOK, limit) or limit
local members = redis.call('ZRANGE', DEAD, from, '+', 'BYLEX', 'LIMIT', 0, size)

local ids = {}
for i, member in ipairs(members) do ids[i] = string.sub(member, CREATED_DIGITS + 1) end
local events = load_events(ids)
local chosen, damaged, last = {}, {}, 0
for i, id in ipairs(ids) do
  if #chosen == limit then break end
  last = i
  if not events[id] or events[id].status ~= 3 then
    damaged[#damaged + 1] = 'dead'
    damaged[#damaged + 1] = members[i]
  elseif not type or events[id].type == type then
    chosen[#chosen + 1] = id
  end
end

local reply = {(last < #members or #members == size) and members[last] or '', damaged}
local bodies = fields_of(BODY, chosen)
for i, id in ipairs(chosen) do
  local e = events[id]
  tell(reply, id, e.type, e.created, e.due, e.attempts, e.error, bodies[i])
end
return reply

-- Deletes finished events and returns their number. Arguments: the time before which DONE ones ended, the creation before which
-- DEAD ones were made or '' to leave them, the largest number.

local limit = tonumber(ARGV[3])
local ids = redis.call('ZRANGE', DONE, '-inf', '(' .. ARGV[1], 'BYSCORE', 'LIMIT', 0, limit)
for _, id in ipairs(ids) do queue('ZREM', DONE, id) end

if ARGV[2] ~= '' and #ids < limit then
  local dead = redis.call('ZRANGE', DEAD, '-', '(' .. ARGV[2], 'BYLEX', 'LIMIT', 0, limit - #ids)
  local dead_ids = {}
  for i, member in ipairs(dead) do
    dead_ids[i] = string.sub(member, CREATED_DIGITS + 1)
    queue('ZREM', DEAD, member)
    ids[#ids + 1] = dead_ids[i]
  end
  for _, e in pairs(load_events(dead_ids)) do count_dead(e.type, -1) end
end

for _, id in ipairs(ids) do
  queue('HDEL', EVENT, id)
  queue('HDEL', BODY, id)
end
run_queued()
return {#ids}

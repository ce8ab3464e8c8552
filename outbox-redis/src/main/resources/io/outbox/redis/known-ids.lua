-- Returns those of the ids that are stored, and changes the second key if there are any: a transaction that watches it is discarded.
-- Runs in front of every transaction, so that it has nothing in common with the other scripts. Arguments: ids.

local known = {}
for _, id in ipairs(ARGV) do
  if redis.call('HSTRLEN', KEYS[1], id) > 0 then known[#known + 1] = id end
end
if #known > 0 then redis.call('SET', KEYS[2], '', 'PX', 1) end
return known

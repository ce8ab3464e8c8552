-- Restarts the locks of an owner and returns the ids of those events. Arguments: owner, ids.

local owner, ids, time = table.remove(ARGV, 1), ARGV, now()
local events, reply = load_events(ids), {}
for _, id in ipairs(ids) do
  local e = events[id]
  if e and e.owner == owner then
    if e.key then
      queue('ZADD', lock_key(e.type), time, order_member(e.key, e.number, id))
    else
      queue('ZADD', locks_key(e.type), time, e.member)
    end
    reply[#reply + 1] = id
  end
end
run_queued()
return reply

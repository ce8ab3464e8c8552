-- Returns where events stand, without their bodies: nine values for each that is there. Arguments: ids, none twice.

local function locked_at(e)
  if e.key then return redis.call('ZSCORE', lock_key(e.type), order_member(e.key, e.number, e.id)) end
  return redis.call('ZSCORE', locks_key(e.type), e.member)
end

local events, reply = load_events(ARGV), {}
for _, id in ipairs(ARGV) do
  local e = events[id]
  if e then
    tell(reply, id, e.type, e.created, e.due, e.attempts, e.error, e.status)
    reply[#reply + 1] = e.owner or false
    reply[#reply + 1] = text(tonumber(e.owner and locked_at(e) or e.ended or 0))
  end
end
return reply

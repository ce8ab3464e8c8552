-- Returns where events stand, without their bodies: nine values for each that is there. Arguments: ids, none twice.

local events, reply = load_events(ARGV), {}
for _, id in ipairs(ARGV) do
  local e = events[id]
  if e then
    local locked_at = e.owner and redis.call('ZSCORE', locks_key(e.type), e.member)
    tell(reply, id, e.type, e.created, e.due, e.attempts, e.error, e.status)
    reply[#reply + 1] = e.owner or false
    reply[#reply + 1] = text(tonumber(locked_at or e.ended or 0))
  end
end
return reply

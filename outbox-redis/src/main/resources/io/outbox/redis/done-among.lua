-- Returns those of the ids whose events are DONE. Arguments: ids.

local events, reply = load_events(ARGV), {}
for _, e in pairs(events) do
  if e.status == 1 then reply[#reply + 1] = e.id end
end
return reply

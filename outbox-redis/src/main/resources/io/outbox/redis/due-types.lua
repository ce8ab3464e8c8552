-- Tells when the first pending event of each type is due, two values for each: type, time.

local reply = {}
for _, type in ipairs(redis.call('SMEMBERS', TYPES)) do
  local first
  for _, key in ipairs({free_key(type), held_key(type)}) do
    local due = tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2])
    if due and (not first or due < first) then first = due end
  end
  if first then
    reply[#reply + 1] = type
    reply[#reply + 1] = text(first)
  end
end
return reply

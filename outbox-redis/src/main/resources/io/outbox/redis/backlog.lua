-- Counts pending events, five values for each type: type, free ones, held ones, due ones, the time since when the first of these
-- is due or ''. Argument: the time at which they are due.

local reply = {}
for _, type in ipairs(redis.call('SMEMBERS', TYPES)) do
  local due, oldest = 0, nil
  for _, key in ipairs({free_key(type), held_key(type)}) do
    due = due + redis.call('ZCOUNT', key, '-inf', ARGV[1])
    local first = tonumber(redis.call('ZRANGE', key, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2])
    if first and (not oldest or first < oldest) then oldest = first end
  end
  local n = #reply
  reply[n + 1] = type
  reply[n + 2] = redis.call('ZCARD', free_key(type))
  reply[n + 3] = redis.call('ZCARD', held_key(type))
  reply[n + 4] = due
  reply[n + 5] = oldest and text(oldest) or ''
end
return reply

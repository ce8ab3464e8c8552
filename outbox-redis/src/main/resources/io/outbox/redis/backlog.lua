-- Counts pending events, five values for each type: type, free ones, held ones, due ones, the time since when the first of these
-- is due or ''. Argument: the time at which they are due.

local counts, order = {}, {}

local function counts_of(type)
  if not counts[type] then
    counts[type] = {free = 0, held = 0, due = 0}
    order[#order + 1] = type
  end
  return counts[type]
end

local function count_due(of_type, key)
  of_type.due = of_type.due + redis.call('ZCOUNT', key, '-inf', ARGV[1])
  local first = tonumber(redis.call('ZRANGE', key, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2])
  if first and (not of_type.oldest or first < of_type.oldest) then of_type.oldest = first end
end

for _, type in ipairs(redis.call('SMEMBERS', TYPES)) do
  local of_type = counts_of(type)
  of_type.free, of_type.held = redis.call('ZCARD', free_key(type)), redis.call('ZCARD', held_key(type))
  count_due(of_type, free_key(type))
  count_due(of_type, held_key(type))
end
for _, type in ipairs(redis.call('SMEMBERS', KEYED_TYPES)) do
  local of_type, held = counts_of(type), redis.call('ZCARD', lock_key(type))
  of_type.free, of_type.held = of_type.free + redis.call('ZCARD', due_key(type)) - held, of_type.held + held
  count_due(of_type, due_key(type))
end

local reply = {}
for _, type in ipairs(order) do
  local of_type, n = counts[type], #reply
  reply[n + 1] = type
  reply[n + 2] = of_type.free
  reply[n + 3] = of_type.held
  reply[n + 4] = of_type.due
  reply[n + 5] = of_type.oldest and text(of_type.oldest) or ''
end
return reply

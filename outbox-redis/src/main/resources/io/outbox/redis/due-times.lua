-- Returns the first due time after a time, and the first one of all up to it, each '' if there is none. Argument: the time.

local next_due, oldest_due

local function earlier(a, b) return a and a <= b and a or b end

for _, type in ipairs(redis.call('SMEMBERS', TYPES)) do
  for _, key in ipairs({free_key(type), held_key(type)}) do
    local later = redis.call('ZRANGE', key, '(' .. ARGV[1], '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2]
    local first = redis.call('ZRANGE', key, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2]
    if later then next_due = earlier(next_due, tonumber(later)) end
    if first then oldest_due = earlier(oldest_due, tonumber(first)) end
  end
end
return {next_due and text(next_due) or '', oldest_due and text(oldest_due) or ''}

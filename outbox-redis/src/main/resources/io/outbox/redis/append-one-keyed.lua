-- Stores one event that keeps its order, with the key as one argument more. Its number is that of 'append-keyed'.

APPEND_ARGS = 7

local ORDER, KEYED_TYPES, NUMBER = PREFIX .. 'order', PREFIX .. 'keyedtypes', PREFIX .. 'number'

local function require_numbers()
  local may = redis.acl_check_cmd
  if may and not may('SET', NUMBER, '0') then
    error({err = 'NOPERM The user of Redis may not use SET any more; the script has changed nothing'})
  end
end

local function append(args, first)
  local id, created, due, type, key = args[first], args[first + 1], args[first + 2], args[first + 3], args[first + 6]
  local due_times, time = PREFIX .. 'keyed:' .. type, redis.call('TIME')
  local number = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(redis.call('GET', NUMBER) or 0) + 1)
  local member = key .. '\0' .. string.format('%016.0f', number) .. id
  require_writable(BODY, due_times, ORDER, KEYED_TYPES)
  require_numbers()
  redis.call('SET', NUMBER, string.format('%.0f', number))
  redis.call('HSET', EVENT, id, cmsgpack.pack(created, tonumber(due), 0, 0, type, nil, nil, nil, key, number))
  redis.call('HSET', BODY, id, args[first + 5])
  redis.call('ZADD', due_times, due, member)
  redis.call('ZADD', ORDER, '0', member)
  redis.call('SADD', KEYED_TYPES, type)
end

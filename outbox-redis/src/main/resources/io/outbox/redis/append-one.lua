-- Stores one event, without what many need: the server spends half of the time. As in 'append', its entry in a set comes last, and
-- nothing is changed before it is known that no right is missing and no key is on its way to another node.

local EVENT = KEYS[1]
local PREFIX = string.sub(EVENT, 1, -6)
local BODY, TYPES = PREFIX .. 'body', PREFIX .. 'types'
local APPEND_ARGS = 6

local function taken(args, first)
  return redis.call('HSTRLEN', EVENT, args[first]) > 0 and {args[first]} or {}
end

local function require_writable(...)
  redis.call('EXISTS', TYPES, ...)
  local may = redis.acl_check_cmd
  if may and not (may('HSET', BODY, '', '') and may('ZADD', EVENT, '0', '') and may('SADD', TYPES, '')) then
    error({err = 'NOPERM The user of Redis may not use HSET, ZADD or SADD any more; the script has changed nothing'})
  end
end

local function append(args, first)
  local id, created, due, type, owner = args[first], args[first + 1], args[first + 2], args[first + 3], args[first + 4]
  local member = created .. id
  if owner == '' then
    local free = PREFIX .. 'free:' .. type
    require_writable(BODY, free)
    redis.call('HSET', EVENT, id, cmsgpack.pack(created, tonumber(due), 0, 0, type, nil, nil, nil))
    redis.call('HSET', BODY, id, args[first + 5])
    redis.call('ZADD', free, due, member)
  else
    local held, locks, time = PREFIX .. 'held:' .. type, PREFIX .. 'locks:' .. type, redis.call('TIME')
    require_writable(BODY, held, locks)
    redis.call('HSET', EVENT, id, cmsgpack.pack(created, tonumber(due), 0, 0, type, nil, nil, owner))
    redis.call('HSET', BODY, id, args[first + 5])
    redis.call('ZADD', held, due, member)
    redis.call('ZADD', locks, time[1] .. string.format('%06d', tonumber(time[2])), member)
  end
  redis.call('SADD', TYPES, type)
end

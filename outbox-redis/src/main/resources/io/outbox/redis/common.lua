-- What all scripts share. KEYS[1] is the hash of all events; the other keys are named after it, in the same slot.
--
-- Names of states: 0 NEW, 1 DONE, 2 RETRY, 3 DEAD. Strings are never compared by '<' beyond digits, since Lua follows the
-- server's locale there and sorted sets do not.

local EVENT = KEYS[1]
local PREFIX = string.sub(EVENT, 1, -6)
local BODY, TYPES = PREFIX .. 'body', PREFIX .. 'types'
local DONE, DEAD, DEAD_COUNT = PREFIX .. 'done', PREFIX .. 'dead', PREFIX .. 'deadcount'
local CREATED_DIGITS = 19
local CHUNK = 1000 -- arguments of one command, below what Lua can unpack; even, so that pairs stay together

local function free_key(type) return PREFIX .. 'free:' .. type end
local function held_key(type) return PREFIX .. 'held:' .. type end
local function locks_key(type) return PREFIX .. 'locks:' .. type end

-- Writes a time in digits only; a score comes back with an exponent from 1e17 on, which is the year 5138.
local function text(number) return string.format('%.0f', number) end

local function now()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', tonumber(time[2]))
end

-- Commands with any number of arguments, gathered by key and run together. Those of one script touch each event once.

local queued, queued_by_name = {}, {}

local function queue(command, key, first, second)
  local name = command .. key
  local args = queued_by_name[name]
  if not args then
    args = {}
    queued_by_name[name] = args
    queued[#queued + 1] = {command, key, args}
  end
  args[#args + 1] = first
  if second then args[#args + 1] = second end
end

local function run_queued()
  for _, entry in ipairs(queued) do
    local args = entry[3]
    for first = 1, #args, CHUNK do
      redis.call(entry[1], entry[2], unpack(args, first, math.min(first + CHUNK - 1, #args)))
    end
  end
end

-- Events

local function pack_event(e)
  return cmsgpack.pack(e.created, e.due, e.status, e.attempts, e.type, e.owner, e.ended, e.error)
end

local function unpack_event(id, packed)
  local e = {id = id}
  e.created, e.due, e.status, e.attempts, e.type, e.owner, e.ended, e.error = cmsgpack.unpack(packed)
  e.member = e.created .. id
  return e
end

-- Returns what a hash has under the fields, false where it has nothing.
local function fields_of(key, fields)
  local values = {}
  for first = 1, #fields, CHUNK do
    local found = redis.call('HMGET', key, unpack(fields, first, math.min(first + CHUNK - 1, #fields)))
    for i = 1, #found do values[first + i - 1] = found[i] end
  end
  return values
end

-- Returns the events with these ids, by id.
local function load_events(ids)
  local events = {}
  local packed = fields_of(EVENT, ids)
  for i, id in ipairs(ids) do
    if packed[i] then events[id] = unpack_event(id, packed[i]) end
  end
  return events
end

local function save(e) queue('HSET', EVENT, e.id, pack_event(e)) end

local function is_pending(e) return e.status == 0 or e.status == 2 end

-- Places of pending events. Whoever moves one calls settle() at the end.

local touched = {}

local function put_free(e)
  touched[e.type] = true
  queue('ZADD', free_key(e.type), text(e.due), e.member)
end

local function put_held(e, locked_at)
  touched[e.type] = true
  queue('ZADD', held_key(e.type), text(e.due), e.member)
  queue('ZADD', locks_key(e.type), locked_at, e.member)
end

local function leave_free(e)
  touched[e.type] = true
  queue('ZREM', free_key(e.type), e.member)
end

local function leave_held(e)
  touched[e.type] = true
  queue('ZREM', held_key(e.type), e.member)
  queue('ZREM', locks_key(e.type), e.member)
end

local function settle()
  run_queued()
  for type in pairs(touched) do
    local has_pending = redis.call('EXISTS', free_key(type), held_key(type)) > 0
    redis.call(has_pending and 'SADD' or 'SREM', TYPES, type)
  end
end

-- Appends to a reply what is told of an event.
local function tell(reply, e, body)
  local n = #reply
  reply[n + 1] = e.id
  reply[n + 2] = e.type
  reply[n + 3] = e.created
  reply[n + 4] = text(e.due)
  reply[n + 5] = e.attempts
  reply[n + 6] = e.error or false
  reply[n + 7] = body
end

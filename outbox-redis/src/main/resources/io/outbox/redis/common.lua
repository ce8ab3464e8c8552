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

-- Returns a function from a type to the name of its key, which is made once in a script.
local function key_by_type(name)
  local keys = {}
  return function(type)
    local key = keys[type]
    if not key then
      key = PREFIX .. name .. type
      keys[type] = key
    end
    return key
  end
end

local free_key, held_key, locks_key = key_by_type('free:'), key_by_type('held:'), key_by_type('locks:')

-- Writes a time in digits only; a score comes back with an exponent from 1e17 on, which is the year 5138.
local function text(number) return string.format('%.0f', number) end

local function now()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', tonumber(time[2]))
end

-- Commands with any number of arguments, gathered by key and run together. Those of one script touch each event once.

local queued, queued_by_command = {}, {}

local function queue(command, key, first, second)
  local by_key = queued_by_command[command]
  if not by_key then
    by_key = {}
    queued_by_command[command] = by_key
  end
  local entry = by_key[key]
  if not entry then
    entry = {command = command, key = key, args = {}, count = 0}
    by_key[key] = entry
    queued[#queued + 1] = entry
  end
  local count = entry.count + 1
  entry.args[count] = first
  if second then
    count = count + 1
    entry.args[count] = second
  end
  entry.count = count
end

local function run_queued()
  for _, entry in ipairs(queued) do
    for first = 1, entry.count, CHUNK do
      redis.call(entry.command, entry.key, unpack(entry.args, first, math.min(first + CHUNK - 1, entry.count)))
    end
  end
end

-- Events

-- Returns how type and owner of an event that has neither end nor error are packed; made once in a script, as many events
-- have them in common.
local tails = {}

local function packed_tail(type, owner)
  local by_owner = tails[type]
  if not by_owner then
    by_owner = {}
    tails[type] = by_owner
  end
  local tail = by_owner[owner or '']
  if not tail then
    tail = cmsgpack.pack(type, owner, nil, nil)
    by_owner[owner or ''] = tail
  end
  return tail
end

local function pack_event(e)
  if e.ended or e.error then
    return cmsgpack.pack(e.created, e.due, e.status, e.attempts, e.type, e.owner, e.ended, e.error)
  end
  return cmsgpack.pack(e.created, e.due, e.status, e.attempts) .. packed_tail(e.type, e.owner)
end

local function unpack_event(id, packed)
  local created, due, status, attempts, type, owner, ended, error = cmsgpack.unpack(packed)
  local e = {
    id = id, member = created .. id, created = created, due = due, status = status, attempts = attempts, type = type, owner = owner
  }
  if ended then e.ended = ended end
  if error then e.error = error end
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

local function put_free(type, due, member)
  touched[type] = true
  queue('ZADD', free_key(type), due, member)
end

local function put_held(type, due, member, locked_at)
  touched[type] = true
  queue('ZADD', held_key(type), due, member)
  queue('ZADD', locks_key(type), locked_at, member)
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
  reply[n + 4] = e.due
  reply[n + 5] = e.attempts
  reply[n + 6] = e.error or false
  reply[n + 7] = body
end

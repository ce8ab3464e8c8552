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

-- Events. The owner is packed last, so that it is replaced without packing the rest again.

local PACKED_BEFORE_OWNER = 7

-- What many events of a script have in common is packed once.
local packed_owners, packed_types = {}, {}

local function packed_owner(owner)
  local packed = packed_owners[owner or '']
  if not packed then
    packed = cmsgpack.pack(owner)
    packed_owners[owner or ''] = packed
  end
  return packed
end

-- Returns what follows the attempts of an event that has neither end nor error, up to its owner.
local function packed_type(type)
  local packed = packed_types[type]
  if not packed then
    packed = cmsgpack.pack(type, nil, nil)
    packed_types[type] = packed
  end
  return packed
end

local function pack_new(created, due, type, owner)
  return cmsgpack.pack(created, due, 0, 0) .. packed_type(type) .. packed_owner(owner)
end

local function pack_event(e)
  return cmsgpack.pack(e.created, e.due, e.status, e.attempts, e.type, e.ended, e.error) .. packed_owner(e.owner)
end

local function unpack_event(id, packed)
  local created, due, status, attempts, type, ended, error, owner = cmsgpack.unpack(packed)
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

local function leave_free(type, member)
  touched[type] = true
  queue('ZREM', free_key(type), member)
end

local function leave_held(type, member)
  touched[type] = true
  queue('ZREM', held_key(type), member)
  queue('ZREM', locks_key(type), member)
end

local function settle()
  run_queued()
  for type in pairs(touched) do
    local has_pending = redis.call('EXISTS', free_key(type), held_key(type)) > 0
    redis.call(has_pending and 'SADD' or 'SREM', TYPES, type)
  end
end

-- Appends to a reply what is told of an event.
local function tell(reply, id, type, created, due, attempts, error, body)
  local n = #reply
  reply[n + 1] = id
  reply[n + 2] = type
  reply[n + 3] = created
  reply[n + 4] = due
  reply[n + 5] = attempts
  reply[n + 6] = error or false
  reply[n + 7] = body
end

-- Appends to a reply what is told of all events with these ids.
local function tell_all(reply, ids)
  local packed, bodies = fields_of(EVENT, ids), fields_of(BODY, ids)
  for i, id in ipairs(ids) do
    local created, due, _, attempts, type, _, error = cmsgpack.unpack(packed[i])
    tell(reply, id, type, created, due, attempts, error, bodies[i])
  end
end

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
local kind_of = type -- events have types too

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

local dead_changes = {}

-- Counts DEAD events of a type that come or go.
local function count_dead(type, change) dead_changes[type] = (dead_changes[type] or 0) + change end

local function require_right(...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(...) then
    error({err = 'NOPERM The user of Redis may not use ' .. (...) .. ' any more; the script has changed nothing'})
  end
end

-- Fails before the first write if the user has lost a right or a key is on its way to another node: Redis would stop the script at
-- that command, and keep what it did before.
local function require_writable(more_keys)
  local keys = more_keys
  for _, entry in ipairs(queued) do
    require_right(entry.command, entry.key, entry.args[1], entry.args[2] or '')
    keys[#keys + 1] = entry.key
  end
  if next(dead_changes) then
    require_right('HINCRBY', DEAD_COUNT, '', '1')
    require_right('HDEL', DEAD_COUNT, '')
    keys[#keys + 1] = DEAD_COUNT
  end
  for first = 1, #keys, CHUNK do redis.call('EXISTS', unpack(keys, first, math.min(first + CHUNK - 1, #keys))) end
end

-- Runs what is queued, in the order in which each kind came first.
local function run_queued(more_keys)
  require_writable(more_keys or {})
  for _, entry in ipairs(queued) do
    for first = 1, entry.count, CHUNK do
      redis.call(entry.command, entry.key, unpack(entry.args, first, math.min(first + CHUNK - 1, entry.count)))
    end
  end
  for type, change in pairs(dead_changes) do
    if redis.call('HINCRBY', DEAD_COUNT, type, change) == 0 then redis.call('HDEL', DEAD_COUNT, type) end
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

-- Returns what follows the owner of an event that keeps its order; nothing for others.
local function packed_order(key, number) return key and cmsgpack.pack(key, number) or '' end

local function pack_event(e)
  return cmsgpack.pack(e.created, e.due, e.status, e.attempts, e.type, e.ended, e.error) .. packed_owner(e.owner)
    .. packed_order(e.key, e.number)
end

local function is_event(ok, created, due, attempts, type)
  return ok and kind_of(type) == 'string' and kind_of(attempts) == 'number' and kind_of(due) == 'number'
    and kind_of(created) == 'string' and #created == CREATED_DIGITS
end

-- Returns the values of an event before its owner, and where that begins; nothing if what is stored is no event.
local function unpack_state(packed)
  local ok, owner_at, created, due, status, attempts, type, _, error = pcall(cmsgpack.unpack_limit, packed, PACKED_BEFORE_OWNER)
  if is_event(ok, created, due, attempts, type) then return created, due, status, attempts, type, error, owner_at end
end

-- Returns all values of an event; nothing if what is stored is no event.
local function unpack_all(packed)
  local ok, created, due, status, attempts, type, ended, error, owner, key, number = pcall(cmsgpack.unpack, packed)
  if is_event(ok, created, due, attempts, type) then
    return created, due, status, attempts, type, ended, error, owner, key, number
  end
end

local function is_pending(status) return status == 0 or status == 2 end

local function unpack_event(id, packed)
  local created, due, status, attempts, type, ended, error, owner, key, number = unpack_all(packed)
  if not created then return nil end
  local e = {
    id = id, member = created .. id, created = created, due = due, status = status, attempts = attempts, type = type, owner = owner,
    key = key, number = number
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

-- Returns the events with these ids, by id; one that is damaged is as one that is missing.
local function load_events(ids)
  local events = {}
  local packed = fields_of(EVENT, ids)
  for i, id in ipairs(ids) do
    if packed[i] then events[id] = unpack_event(id, packed[i]) end
  end
  return events
end

local function save(e) queue('HSET', EVENT, e.id, pack_event(e)) end

-- Places of pending events that keep no order. Whoever moves one calls settle() at the end.

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

local function settle(more_keys)
  local places = more_keys or {}
  places[#places + 1] = TYPES
  for type in pairs(touched) do
    places[#places + 1] = free_key(type)
    places[#places + 1] = held_key(type)
  end
  if next(touched) then
    require_right('SADD', TYPES, '')
    require_right('SREM', TYPES, '')
  end
  run_queued(places)
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


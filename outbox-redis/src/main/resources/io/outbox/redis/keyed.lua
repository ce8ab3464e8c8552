-- Pending events that keep the order of their key. All of them are in one sorted set, whose members are sorted by bytes: the key, a
-- NUL, which no key contains, the number in 16 digits, and the id. So the first event of a key is its head, and the first one
-- behind all events of a key is the head of the next key. By type, they are in a set of due times and, if they are held, in a set of
-- locks; those that have failed for good are in a set of parked ones as well.

local ORDER, PARKED, KEYED_TYPES = PREFIX .. 'order', PREFIX .. 'parked', PREFIX .. 'keyedtypes'
local NUMBER = PREFIX .. 'number'
local NUMBER_DIGITS = 16
local PARKED_FROM = 7258118400000000 -- the year 2200
local due_key, lock_key = key_by_type('keyed:'), key_by_type('keylocks:')

local function order_member(key, number, id) return key .. '\0' .. string.format('%016.0f', number) .. id end

-- Returns key, number and id of a member; nothing if it is none.
local function read_member(member)
  local key_end = string.find(member, '\0', 1, true)
  if not key_end then return nil end
  local digits = string.sub(member, key_end + 1, key_end + NUMBER_DIGITS)
  local id = string.sub(member, key_end + NUMBER_DIGITS + 1)
  if #id > 0 and string.match(digits, '^%d+$') then return string.sub(member, 1, key_end - 1), tonumber(digits), id end
end

-- Moves of events that keep their order. Whoever makes one calls settle_all() at the end.

local touched_keyed = {}

local function note_due(type, due, member)
  touched_keyed[type] = true
  queue('ZADD', due_key(type), text(due), member)
  if due >= PARKED_FROM then queue('ZADD', PARKED, text(due), member) end
end

local function put_in_order(type, due, member)
  note_due(type, due, member)
  queue('ZADD', ORDER, '0', member)
end

local function unlock(type, member, owner)
  if owner then queue('ZREM', lock_key(type), member) end
end

local function leave_order(type, due, member, owner)
  touched_keyed[type] = true
  unlock(type, member, owner)
  queue('ZREM', due_key(type), member)
  queue('ZREM', ORDER, member)
  if due >= PARKED_FROM then queue('ZREM', PARKED, member) end
end

-- Leaves an event where it is, free and due at another time.
local function delay_in_order(e, due)
  local member = order_member(e.key, e.number, e.id)
  unlock(e.type, member, e.owner)
  note_due(e.type, due, member)
  if e.due >= PARKED_FROM and due < PARKED_FROM then queue('ZREM', PARKED, member) end
end

local function settle_all()
  local more_keys = {}
  if next(touched_keyed) then
    require_right('SADD', KEYED_TYPES, '')
    require_right('SREM', KEYED_TYPES, '')
    more_keys[1] = KEYED_TYPES
  end
  settle(more_keys)
  for type in pairs(touched_keyed) do
    redis.call(redis.call('EXISTS', due_key(type)) > 0 and 'SADD' or 'SREM', KEYED_TYPES, type)
  end
end


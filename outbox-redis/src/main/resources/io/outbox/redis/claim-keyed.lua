-- Takes the next events of keys: of each key from its head on, up to the first that is not due, of a type that is not wanted, or damaged.
-- A key gives nothing if another node holds one of the events that are read. For a node that is alone, only reads them.
--
-- Arguments: holder or '', due until, the time before which a lock must have begun to count no more, the largest number of one
-- key, bytes, the number of holders whose claims were lost and their names, the number of events that are known to be held by them
-- and their ids, '1' if the types are those that are not wanted, their number and names, the keys. Returns how many were taken
-- over, damaged entries, and for each event the place of its key among the keys, its number, and what is told.

local owner, due_until, expiry = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local run, max_bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local lost_holders, after_holders = read_set(6)
local known, after_known = read_set(after_holders)
local is_exclusion = ARGV[after_known] == '1'
local types, first_key = read_set(after_known + 1)
local is_alone, time = owner == '', now()

-- Returns the values of an event that keeps its order, and where its owner begins; nothing if what is stored is no such event.
local function unpack_ordered(packed)
  local created, due, status, attempts, type, error, owner_at = unpack_state(packed)
  if not created then return nil end
  local ok, _, former, key, number = pcall(cmsgpack.unpack_limit, packed, 3, owner_at)
  if ok and key and number and is_pending(status) then
    return key, number, created, due, attempts, type, error, former, owner_at
  end
end

-- An event that is held without a lock is as one whose lock has run out.
local function is_free(id, type, member, former)
  if is_alone or not former or lost_holders[former] and not known[id] then return true end
  return tonumber(redis.call('ZSCORE', lock_key(type), member) or 0) < expiry
end

local reply, taken_ids, damaged, taken_over, bytes = {0}, {}, {}, 0, 0
reply[2] = damaged

local function take(id, member, former, type, packed_before_owner, key, number)
  if former and former ~= owner and not lost_holders[former] then taken_over = taken_over + 1 end
  queue('ZADD', lock_key(type), time, member)
  queue('HSET', EVENT, id, packed_before_owner .. packed_owner(owner) .. packed_order(key, number))
end

local function take_run(key, place)
  local window = is_alone and run or math.max(2, run) -- a head alone does not tell whether somebody holds what follows
  local members = redis.call('ZRANGE', ORDER, '[' .. key .. '\0', '(' .. key .. '\1', 'BYLEX', 'LIMIT', 0, window)
  local ids, found = {}, {}
  for i, member in ipairs(members) do ids[i] = string.sub(member, #key + NUMBER_DIGITS + 2) end
  local packed = fields_of(EVENT, ids)
  for i, member in ipairs(members) do
    local id = ids[i]
    local event_key, number, created, due, attempts, type, error, former, owner_at = unpack_ordered(packed[i])
    if not event_key or order_member(event_key, number, id) ~= member then
      damaged[#damaged + 1] = 'order'
      damaged[#damaged + 1] = member
      break
    end
    if not is_free(id, type, member, former) then return end
    found[i] = {id, member, number, created, due, attempts, type, error, former, owner_at}
  end
  for i = 1, math.min(#found, run) do
    local id, member, number, created, due, attempts, type, error, former, owner_at = unpack(found[i], 1, 10)
    local is_wanted = (types[type] or false) ~= is_exclusion
    if bytes >= max_bytes or due > due_until or not is_wanted then return end
    bytes = bytes + redis.call('HSTRLEN', BODY, id)
    if not is_alone then take(id, member, former, type, string.sub(packed[i], 1, owner_at), key, number) end
    taken_ids[#taken_ids + 1] = id
    reply[#reply + 1] = place
    reply[#reply + 1] = number
    tell(reply, id, type, created, due, attempts, error, false)
  end
end

for at = first_key, #ARGV do
  if bytes >= max_bytes then break end
  take_run(ARGV[at], at - first_key)
end
if not is_alone then run_queued() end

local EVENT_VALUES = 9
for i, body in ipairs(fields_of(BODY, taken_ids)) do reply[2 + i * EVENT_VALUES] = body end
reply[1] = taken_over
return reply

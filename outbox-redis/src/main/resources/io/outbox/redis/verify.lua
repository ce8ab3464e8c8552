-- Compares the keys with each other, a bounded part of them in each call, and mends what does not fit if it is told to. Returns
-- the cursor of the next call or '0', how many entries were compared, and what is wrong with which of them.
--
-- Arguments: a part, a cursor, about how many entries, 'repair' or ''; for the part 'entries', names of sets and members behind
-- these. Parts: 'event', 'body', 'types', 'deadcount', 'entries', or the name of a sorted set.
--
-- What can be delivered is never thrown away: a pending entry without its event becomes one that is NEW, and an event without a
-- body gets one that cannot be read, so that it dies by the rules for damaged events and is shown among the dead. An event that
-- keeps its order keeps its place as well: its members tell key and number.

local NO_BODY = '?'
local UNKNOWN_TYPE = 'unknown'

local part, cursor, count, mends = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'repair'
local next_cursor, checked, faults, time = '0', 0, {}, now()
local seen, listed = {}, {}
for _, type in ipairs(redis.call('SMEMBERS', TYPES)) do listed[type] = true end
local listed_keyed = {}
for _, type in ipairs(redis.call('SMEMBERS', KEYED_TYPES)) do listed_keyed[type] = true end

-- The NUL in members of events that keep their order is nothing for logs.
local function fault(what, id) faults[#faults + 1] = what .. ': ' .. string.gsub(id, '%z', ' ') end

local function require_body(id)
  if redis.call('HSTRLEN', BODY, id) == 0 then
    fault('no body', id)
    queue('HSET', BODY, id, NO_BODY)
  end
end

local function check_place(key, member, is_wanted, score, default)
  local found = tonumber(redis.call('ZSCORE', key, member) or nil)
  local name = string.sub(key, #PREFIX + 1)
  if not is_wanted and found then
    fault('wrongly in ' .. name, member)
    queue('ZREM', key, member)
  elseif is_wanted and (not found or score and found ~= score) then
    fault(found and 'wrong score in ' .. name or 'missing in ' .. name, member)
    queue('ZADD', key, score and text(score) or default, member)
  end
end

local function check_listed(type, listed_types, touched_types)
  touched_types[type] = true
  if not listed_types[type] then fault('type is not listed', type) end
  listed_types[type] = true
end

local last_number = tonumber(redis.call('GET', NUMBER) or 0)
local highest_number = last_number

local function check_order(e, waits)
  if e.number > highest_number then
    fault('beyond the last number', e.id)
    highest_number = e.number
  end
  local member = order_member(e.key, e.number, e.id)
  check_place(due_key(e.type), member, waits, e.due)
  check_place(lock_key(e.type), member, waits and e.owner, nil, time)
  check_place(PARKED, member, waits and e.due >= PARKED_FROM, e.due)
  check_place(ORDER, member, waits, 0)
  if waits then check_listed(e.type, listed_keyed, touched_keyed) end
end

local function check_event(e)
  local waits = is_pending(e.status)
  local waits_unordered = waits and not e.key
  require_body(e.id)
  check_place(free_key(e.type), e.member, waits_unordered and not e.owner, e.due)
  check_place(held_key(e.type), e.member, waits_unordered and e.owner, e.due)
  check_place(locks_key(e.type), e.member, waits_unordered and e.owner, nil, time)
  check_place(DONE, e.id, e.status == 1, e.ended, time)
  check_place(DEAD, e.member, e.status == 3, nil, '0')
  if e.key then check_order(e, waits) end
  if waits_unordered then check_listed(e.type, listed, touched) end
end

local function restore(id, member, place, type, score)
  local e = {id = id, member = member, created = string.sub(member, 1, CREATED_DIGITS), attempts = 0, type = type}
  if place == 'dead' then
    e.type, e.status, e.due, e.error = UNKNOWN_TYPE, 3, 0, 'Its state was lost'
    count_dead(e.type, 1)
  else
    e.status, e.due = 0, place == 'locks' and tonumber(time) or score
    leave_held(type, member)
    put_free(type, text(e.due), member)
  end
  save(e)
  require_body(id)
end

-- Returns the type of an event that keeps its order, and its due time, by its place among due times.
local function find_due(member)
  for type in pairs(listed_keyed) do
    local due = redis.call('ZSCORE', due_key(type), member)
    if due then return type, tonumber(due) end
  end
end

local function restore_in_order(key, number, id, member, type)
  local found_type, due = find_due(member)
  local e = {id = id, attempts = 0, status = 0, key = key, number = number, type = found_type or type or UNKNOWN_TYPE}
  e.due = math.min(due or tonumber(time), tonumber(time))
  e.created = '1' .. string.format('%018.0f', math.max(e.due, 0))
  e.member = e.created .. id
  queue('ZREM', lock_key(e.type), member)
  queue('ZREM', PARKED, member)
  put_in_order(e.type, e.due, member)
  save(e)
  require_body(id)
end

local IN_ORDER = {order = true, keyed = true, keylocks = true, parked = true}

-- As check_member, for the sets of events that keep their order.
local function check_ordered_member(name, type, member)
  local key, number, id = read_member(member)
  if not key then
    fault('no event in ' .. name, member)
    queue('ZREM', PREFIX .. name, member)
    return
  end
  if seen[id] then return end
  seen[id] = true
  local e = load_events({id})[id]
  if e and part == 'entries' then check_event(e) end
  if not e then
    fault('no event in ' .. name, member)
    restore_in_order(key, number, id, member, type ~= '' and type or nil)
  elseif not e.key or order_member(e.key, e.number, id) ~= member or type ~= '' and type ~= e.type then
    fault('another event in ' .. name, member)
    queue('ZREM', PREFIX .. name, member)
  end
end

-- Looks at a member of a sorted set; what its event says about where it belongs is compared with the events.
local function check_member(name, member, score)
  local place, type = string.match(name, '^(%a+):?(.*)$')
  if IN_ORDER[place] then return check_ordered_member(name, type, member) end
  local id = place == 'done' and member or string.sub(member, CREATED_DIGITS + 1)
  if seen[id] then return end
  seen[id] = true
  local e = load_events({id})[id]
  if e and part == 'entries' then check_event(e) end
  local is_stray = e and place ~= 'done' and (e.member ~= member or place ~= 'dead' and e.type ~= type)
  if e and not is_stray then return end
  fault(e and 'another event in ' .. name or 'no event in ' .. name, member)
  if e or place == 'done' or not string.match(member, '^%d+.') or #member <= CREATED_DIGITS then
    queue('ZREM', PREFIX .. name, member)
  else
    restore(id, member, place, type, score)
  end
end

local function scan(command, key, check)
  local page = redis.call(command, key, cursor, 'COUNT', count)
  next_cursor = page[1]
  checked = #page[2] / 2
  for i = 1, #page[2], 2 do check(page[2][i], page[2][i + 1]) end
end

local function check_dead_counts()
  local counts = {}
  local members = redis.call('ZRANGE', DEAD, 0, -1)
  checked = #members
  for i, member in ipairs(members) do members[i] = string.sub(member, CREATED_DIGITS + 1) end
  for _, e in pairs(load_events(members)) do counts[e.type] = (counts[e.type] or 0) + 1 end
  local stored = redis.call('HGETALL', DEAD_COUNT)
  for i = 1, #stored, 2 do counts[stored[i]] = (counts[stored[i]] or 0) - (tonumber(stored[i + 1]) or 0) end
  for type, missing in pairs(counts) do
    if missing ~= 0 then
      fault('wrong number of dead events', type)
      count_dead(type, missing)
    end
  end
end

if part == 'event' then
  scan('HSCAN', EVENT, function(id, packed)
    if seen[id] then return end
    seen[id] = true
    local e = unpack_event(id, packed)
    if e then
      check_event(e)
    else
      fault('not readable', id)
      queue('HDEL', EVENT, id)
    end
  end)
elseif part == 'body' then
  scan('HSCAN', BODY, function(id)
    if redis.call('HSTRLEN', EVENT, id) == 0 then
      fault('a body without an event', id)
      queue('HDEL', BODY, id)
    end
  end)
elseif part == 'types' then
  for type in pairs(listed) do
    checked = checked + 1
    if redis.call('EXISTS', free_key(type), held_key(type)) == 0 then
      fault('a type without events', type)
      touched[type] = true
    end
  end
  for type in pairs(listed_keyed) do
    checked = checked + 1
    if redis.call('EXISTS', due_key(type)) == 0 then
      fault('a type without events', type)
      touched_keyed[type] = true
    end
  end
elseif part == 'deadcount' then
  check_dead_counts()
elseif part == 'entries' then
  for i = 5, #ARGV, 2 do
    check_member(ARGV[i], ARGV[i + 1], tonumber(redis.call('ZSCORE', PREFIX .. ARGV[i], ARGV[i + 1]) or 0))
  end
else
  scan('ZSCAN', PREFIX .. part, function(member, score) check_member(part, member, tonumber(score)) end)
end

if highest_number > last_number then queue('SET', NUMBER, text(highest_number)) end
if mends then settle_all() end
return {next_cursor, checked, faults}

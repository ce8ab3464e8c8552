-- Reads pending events of several types in one order: due time, creation, id. Each type has one or two sorted sets to read
-- from, a source each; a heap of sources tells which of them is next.

local LOOK = 1000 -- how many events that do not qualify are passed over in one call

local function comes_before(a, b)
  if a.at ~= b.at then return a.at < b.at end
  local x, y = a.member, b.member
  for i = 1, math.min(#x, #y) do
    local p, q = string.byte(x, i), string.byte(y, i)
    if p ~= q then return p < q end
  end
  return #x < #y
end

-- Returns the rank of the first member behind a place.
local function rank_behind(key, place)
  if place.member == '' then return 0 end
  local low = redis.call('ZCOUNT', key, '-inf', '(' .. place.score)
  local high = redis.call('ZCOUNT', key, '-inf', place.score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = {at = place.at, member = redis.call('ZRANGE', key, middle, middle)[1]}
    if comes_before(place, there) then high = middle else low = middle + 1 end
  end
  return low
end

-- Moves a source to its next event; returns whether there is one that is due.
local function advance(source)
  source.position = source.position + 2
  if source.position > source.length then
    source.page = redis.call('ZRANGE', source.key, source.rank, source.rank + source.size - 1, 'WITHSCORES')
    source.length = #source.page
    source.rank = source.rank + source.size
    source.position = 1
  end
  source.member = source.page[source.position]
  if not source.member then return false end
  source.score = source.page[source.position + 1]
  source.at = tonumber(source.score)
  return source.at <= source.due_until
end

local function sink(heap, i)
  while true do
    local first, left = i, 2 * i
    for child = left, left + 1 do
      if heap[child] and comes_before(heap[child], heap[first]) then first = child end
    end
    if first == i then return end
    heap[i], heap[first] = heap[first], heap[i]
    i = first
  end
end

-- Returns the types that are asked for and have pending events.
local function chosen_types(excluded, names)
  if not excluded then return names end
  local without, chosen = {}, {}
  for _, name in ipairs(names) do without[name] = true end
  for _, name in ipairs(redis.call('SMEMBERS', TYPES)) do
    if not without[name] then chosen[#chosen + 1] = name end
  end
  return chosen
end

-- Returns the members of up to limit events that qualify, or fewer if their bodies reach max_bytes, their scores and their
-- sources, and the place where the rest begins as score and member, or nil.
local function walk(sources, request, qualifies)
  local heap = {}
  local size = math.min(request.limit + 1, math.max(16, math.ceil(2 * (request.limit + 1) / #sources)))
  for _, source in ipairs(sources) do
    source.size, source.length, source.position = size, 0, 0
    source.due_until = request.due_until
    source.rank = rank_behind(source.key, request.after)
    if advance(source) then heap[#heap + 1] = source end
  end
  for i = math.floor(#heap / 2), 1, -1 do sink(heap, i) end

  local found = {count = 0, members = {}, scores = {}, sources = {}}
  local looked, bytes, score, member = 0, 0, nil, nil
  while heap[1] do
    local source = heap[1]
    if found.count == request.limit or bytes >= request.max_bytes or looked == request.limit + LOOK then
      found.score, found.member = score, member
      return found
    end
    score, member = source.score, source.member
    looked = looked + 1
    local is_old_enough = string.sub(member, 1, CREATED_DIGITS) <= request.created_until
    if is_old_enough and qualifies(source) then
      local n = found.count + 1
      found.count, found.members[n], found.scores[n], found.sources[n] = n, member, score, source
      bytes = bytes + redis.call('HSTRLEN', BODY, string.sub(member, CREATED_DIGITS + 1))
    end
    if not advance(source) then
      heap[1] = heap[#heap]
      heap[#heap] = nil
    end
    if heap[2] then sink(heap, 1) end
  end
  return found
end

-- Arguments of a request: due until, created until, limit, bytes, score and member of the place before, excluded, types.
local function read_request(first)
  local names = {}
  for i = first + 7, #ARGV do names[#names + 1] = ARGV[i] end
  return {
    due_until = tonumber(ARGV[first]),
    created_until = ARGV[first + 1],
    limit = tonumber(ARGV[first + 2]),
    max_bytes = tonumber(ARGV[first + 3]),
    after = {score = ARGV[first + 4], at = tonumber(ARGV[first + 4]), member = ARGV[first + 5]},
    types = chosen_types(ARGV[first + 6] == '1', names)
  }
end

local function ids_of(found)
  local ids = {}
  for i, member in ipairs(found.members) do ids[i] = string.sub(member, CREATED_DIGITS + 1) end
  return ids
end

-- Appends the place behind which to go on to a reply, '' twice at the end.
local function tell_place(reply, found)
  reply[#reply + 1] = found.score or ''
  reply[#reply + 1] = found.member or ''
end

-- Returns whether a member of a set of pending events is what its event says.
local function is_sound(found, i, id, created, status, type)
  return created and is_pending(status) and type == found.sources[i].type and created .. id == found.members[i]
end

-- Appends the set and the member of an entry whose event is missing or damaged.
local function tell_damaged(damaged, found, i)
  damaged[#damaged + 1] = (found.sources[i].held and 'held:' or 'free:') .. found.sources[i].type
  damaged[#damaged + 1] = found.members[i]
end

-- Stores events, or none of them. Six arguments each: id, creation, due time, type, owner or '', body.

local APPEND_ARGS = 6

-- Returns those of the ids that are stored already, or that come twice.
local function taken(args, first, count)
  local ids, seen, found = {}, {}, {}
  for i = 0, count - 1 do
    local id = args[first + i * APPEND_ARGS]
    if seen[id] then found[#found + 1] = id end
    seen[id] = true
    ids[#ids + 1] = id
  end
  local packed = fields_of(EVENT, ids)
  for i, id in ipairs(ids) do
    if packed[i] then found[#found + 1] = id end
  end
  return found
end

local function append_unordered(args, at, time)
  local id, created, due, type, owner = args[at], args[at + 1], args[at + 2], args[at + 3], args[at + 4]
  local member = created .. id
  if owner == '' then owner = nil end
  queue('HSET', EVENT, id, pack_new(created, tonumber(due), type, owner))
  queue('HSET', BODY, id, args[at + 5])
  if owner then put_held(type, due, member, time) else put_free(type, due, member) end
end

local function append(args, first, count)
  local time = now()
  for at = first, first + (count - 1) * APPEND_ARGS, APPEND_ARGS do append_unordered(args, at, time) end
  settle()
end

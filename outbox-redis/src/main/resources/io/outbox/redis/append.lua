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

local function append(args, first, count)
  local time = now()
  for i = 0, count - 1 do
    local at = first + i * APPEND_ARGS
    local owner = args[at + 4]
    local e = {id = args[at], created = args[at + 1], due = tonumber(args[at + 2]), status = 0, attempts = 0, type = args[at + 3]}
    e.member = e.created .. e.id
    if owner ~= '' then
      e.owner = owner
      put_held(e, time)
    else
      put_free(e)
    end
    save(e)
    queue('HSET', BODY, e.id, args[at + 5])
  end
  settle()
end

-- Reads due events, held or not, and changes nothing. Returns the place behind which to go on, damaged entries, the events.
-- Arguments: a request.

local request = read_request(1)
local sources = {}
for _, type in ipairs(request.types) do
  sources[#sources + 1] = {type = type, key = free_key(type)}
  sources[#sources + 1] = {type = type, key = held_key(type), held = true}
end
local found = walk(sources, request, function() return true end)

local ids, reply, damaged = ids_of(found), {}, {}
local packed, bodies = fields_of(EVENT, ids), fields_of(BODY, ids)
tell_place(reply, found)
reply[3] = damaged
for i, id in ipairs(ids) do
  local created, due, status, attempts, type, error = unpack_state(packed[i])
  if is_sound(found, i, id, created, status, type) then
    tell(reply, id, type, created, due, attempts, error, bodies[i])
  else
    tell_damaged(damaged, found, i)
  end
end
return reply

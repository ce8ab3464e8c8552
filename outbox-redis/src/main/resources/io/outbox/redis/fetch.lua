-- Reads due events, held or not, and changes nothing. Arguments: a request.

local request = read_request(1)
local sources = {}
for _, type in ipairs(request.types) do
  sources[#sources + 1] = {type = type, key = free_key(type)}
  sources[#sources + 1] = {type = type, key = held_key(type)}
end
local found, place = walk(sources, request, function() return true end)

local reply = {}
tell_place(reply, place)
local ids = ids_of(found)
local events, bodies = load_events(ids), fields_of(BODY, ids)
for i, id in ipairs(ids) do tell(reply, events[id], bodies[i]) end
return reply

-- Reads due events, held or not, and changes nothing. Arguments: a request.

local request = read_request(1)
local sources = {}
for _, type in ipairs(request.types) do
  sources[#sources + 1] = {type = type, key = free_key(type)}
  sources[#sources + 1] = {type = type, key = held_key(type)}
end
local found = walk(sources, request, function() return true end)

local reply = {}
tell_place(reply, found)
tell_all(reply, ids_of(found))
return reply

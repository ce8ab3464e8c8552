-- Takes due events that nobody holds, or whose lock began before a time. Arguments: owner, that time or '', a request.

local owner, expiry = ARGV[1], tonumber(ARGV[2])
local request = read_request(3)
local time = now()

local sources = {}
for _, type in ipairs(request.types) do
  sources[#sources + 1] = {type = type, key = free_key(type)}
  if expiry then
    local oldest = redis.call('ZRANGE', locks_key(type), 0, 0, 'WITHSCORES')[2]
    if oldest and tonumber(oldest) < expiry then
      sources[#sources + 1] = {type = type, key = held_key(type), held = true}
    end
  end
end
local found, place = walk(sources, request, function(source)
  return not source.held or tonumber(redis.call('ZSCORE', locks_key(source.type), source.member)) < expiry
end)

local ids, taken_over = ids_of(found), 0
local events, bodies = load_events(ids), fields_of(BODY, ids)
local reply = {}
tell_place(reply, place)
for i, id in ipairs(ids) do
  local e = events[id]
  if found[i].held then
    taken_over = taken_over + 1
  else
    leave_free(e)
  end
  e.owner = owner
  put_held(e.type, found[i].score, e.member, time)
  save(e)
  tell(reply, e, bodies[i])
end
settle()
table.insert(reply, 1, taken_over)
return reply

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
local found = walk(sources, request, function(source)
  return not source.held or tonumber(redis.call('ZSCORE', locks_key(source.type), source.member)) < expiry
end)

local ids, reply, taken_over = ids_of(found), {0}, 0
local packed, bodies = fields_of(EVENT, ids), fields_of(BODY, ids)
tell_place(reply, found)
for i, id in ipairs(ids) do
  local member, is_held = found.members[i], found.sources[i].held
  local before_owner, created, due, _, attempts, type, _, error = cmsgpack.unpack_limit(packed[i], PACKED_BEFORE_OWNER)
  if is_held then
    taken_over = taken_over + 1
  else
    leave_free(type, member)
  end
  put_held(type, found.scores[i], member, time)
  queue('HSET', EVENT, id, string.sub(packed[i], 1, before_owner) .. packed_owner(owner))
  tell(reply, id, type, created, due, attempts, error, bodies[i])
end
settle()
reply[1] = taken_over
return reply

-- Takes due events that nobody holds, whose lock began before a time, or which a lost answer left behind. Arguments: holder,
-- that time or '', the number of holders whose claims were lost and their names, the number of events that are known to be held
-- by them and their ids, a request. Returns how many were taken over, the place behind which to go on, damaged entries, the events.

local owner, expiry = ARGV[1], tonumber(ARGV[2])

local lost_holders, after_holders = read_set(3)
local known, after_known = read_set(after_holders)
local request = read_request(after_known)
local time = now()

local function owner_of(id)
  local event = load_events({id})[id]
  return event and event.owner or ''
end

local function is_lost(member)
  local id = string.sub(member, CREATED_DIGITS + 1)
  return next(lost_holders) and not known[id] and lost_holders[owner_of(id)]
end

-- An event that is held without a lock is as one whose lock has run out.
local function may_have_run_out(type)
  local locks = locks_key(type)
  local oldest = redis.call('ZRANGE', locks, 0, 0, 'WITHSCORES')[2]
  return oldest and tonumber(oldest) < expiry or redis.call('ZCARD', held_key(type)) > redis.call('ZCARD', locks)
end

local sources = {}
for _, type in ipairs(request.types) do
  sources[#sources + 1] = {type = type, key = free_key(type)}
  if next(lost_holders) or expiry and may_have_run_out(type) then
    sources[#sources + 1] = {type = type, key = held_key(type), held = true}
  end
end

local function has_run_out(source)
  return expiry and tonumber(redis.call('ZSCORE', locks_key(source.type), source.member) or 0) < expiry
end

local found = walk(sources, request, function(source)
  return not source.held or has_run_out(source) or is_lost(source.member)
end)

local ids, reply, taken_over, damaged = ids_of(found), {0}, 0, {}
local packed, bodies = fields_of(EVENT, ids), fields_of(BODY, ids)
tell_place(reply, found)
reply[4] = damaged
for i, id in ipairs(ids) do
  local member = found.members[i]
  local created, due, status, attempts, type, error, owner_at = unpack_state(packed[i])
  if not is_sound(found, i, id, created, status, type) then
    tell_damaged(damaged, found, i)
  else
    if found.sources[i].held then
      local former = owner_of(id)
      if former ~= owner and not lost_holders[former] then taken_over = taken_over + 1 end
    else
      leave_free(type, member)
    end
    put_held(type, found.scores[i], member, time)
    queue('HSET', EVENT, id, string.sub(packed[i], 1, owner_at) .. packed_owner(owner))
    tell(reply, id, type, created, due, attempts, error, bodies[i])
  end
end
settle()
reply[1] = taken_over
return reply

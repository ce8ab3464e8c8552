-- Makes events that keep their order events that keep none, and parked ones due. Arguments: the member of a DEAD event behind which to
-- go on or '', the largest number of events. Returns the member behind which to go on or '' at the end, how many pending events were
-- changed, damaged entries.

local limit, time = tonumber(ARGV[2]), tonumber(now())
local changed, damaged = 0, {}

local function drop_order(e)
  e.key, e.number = nil, nil
  save(e)
end

local members, ids = redis.call('ZRANGE', ORDER, '-', '+', 'BYLEX', 'LIMIT', 0, limit), {}
for i, member in ipairs(members) do
  local _, _, id = read_member(member)
  ids[i] = id or ''
end
local events = load_events(ids)
for i, member in ipairs(members) do
  local e = events[ids[i]]
  if e and is_pending(e.status) and e.key and order_member(e.key, e.number, e.id) == member then
    leave_order(e.type, e.due, member, e.owner)
    if e.due >= PARKED_FROM then e.due = time end
    if e.owner then
      put_held(e.type, text(e.due), e.member, redis.call('ZSCORE', lock_key(e.type), member) or text(time))
    else
      put_free(e.type, text(e.due), e.member)
    end
    drop_order(e)
    changed = changed + 1
  else
    damaged[#damaged + 1] = 'order'
    damaged[#damaged + 1] = member
  end
end

local next_dead = ''
if #members == 0 then
  local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
  local dead, dead_ids = redis.call('ZRANGE', DEAD, from, '+', 'BYLEX', 'LIMIT', 0, limit), {}
  for i, member in ipairs(dead) do dead_ids[i] = string.sub(member, CREATED_DIGITS + 1) end
  for _, e in pairs(load_events(dead_ids)) do
    if e.key then drop_order(e) end
  end
  if #dead == limit then next_dead = dead[#dead] end
end
settle_all()
return {next_dead, changed, damaged}

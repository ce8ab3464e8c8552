-- Reads the heads of keys behind another one, in the order of keys. Arguments: that key or '', the largest number. Returns damaged
-- entries, and seven values for each head: key, id, type, attempts, due time, holder, since when it is held.

local from = ARGV[1] == '' and '-' or '[' .. ARGV[1] .. '\1'
local members, keys, ids, damaged = {}, {}, {}, {}

local function tell_damaged(member)
  damaged[#damaged + 1] = 'order'
  damaged[#damaged + 1] = member
end

for _ = 1, tonumber(ARGV[2]) do
  local member = redis.call('ZRANGE', ORDER, from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
  if not member then break end
  local key, _, id = read_member(member)
  if key then
    members[#members + 1], keys[#keys + 1], ids[#ids + 1] = member, key, id
    from = '[' .. key .. '\1'
  else
    tell_damaged(member)
    from = '(' .. member
  end
end

local reply, events = {damaged}, load_events(ids)
for i, id in ipairs(ids) do
  local e = events[id]
  if e and is_pending(e.status) and e.key == keys[i] and order_member(e.key, e.number, id) == members[i] then
    local n = #reply
    reply[n + 1] = e.key
    reply[n + 2] = id
    reply[n + 3] = e.type
    reply[n + 4] = e.attempts
    reply[n + 5] = e.due
    reply[n + 6] = e.owner or false
    reply[n + 7] = e.owner and redis.call('ZSCORE', lock_key(e.type), members[i]) or false
  else
    tell_damaged(members[i])
  end
end
return reply

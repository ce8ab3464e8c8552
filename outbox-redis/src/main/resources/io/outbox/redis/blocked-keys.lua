-- Reads keys that a parked event blocks, by the time since when they are. Arguments: '1' for the newest first, the due time and the id
-- of the last event of the page before or '', the largest number. Returns how many there are, damaged entries, and eight values
-- for each: key, id, type, attempts, creation, due time, error, how many events of the key are unfinished.

local is_reversed, after_due, after_id, limit = ARGV[1] == '1', ARGV[2], ARGV[3], tonumber(ARGV[4])

-- Returns the rank behind an event. If it is parked no more, that of the first which was parked at the same time or later.
local function rank_behind()
  if after_id == '' then return 0 end
  local e = load_events({after_id})[after_id]
  local rank = e and e.key
    and redis.call(is_reversed and 'ZREVRANK' or 'ZRANK', PARKED, order_member(e.key, e.number, after_id))
  if rank then return rank + 1 end
  if is_reversed then return redis.call('ZCOUNT', PARKED, '(' .. after_due, '+inf') end
  return redis.call('ZCOUNT', PARKED, '-inf', '(' .. after_due)
end

local first = rank_behind()
local members = redis.call(is_reversed and 'ZREVRANGE' or 'ZRANGE', PARKED, first, first + limit - 1)
local ids, damaged = {}, {}
for i, member in ipairs(members) do
  local _, _, id = read_member(member)
  ids[i] = id or ''
end

local reply, events = {redis.call('ZCARD', PARKED), damaged}, load_events(ids)
for i, id in ipairs(ids) do
  local e = events[id]
  if e and is_pending(e.status) and e.key and order_member(e.key, e.number, id) == members[i] then
    local n = #reply
    reply[n + 1] = e.key
    reply[n + 2] = id
    reply[n + 3] = e.type
    reply[n + 4] = e.attempts
    reply[n + 5] = e.created
    reply[n + 6] = e.due
    reply[n + 7] = e.error or false
    reply[n + 8] = redis.call('ZLEXCOUNT', ORDER, '[' .. e.key .. '\0', '(' .. e.key .. '\1')
  else
    damaged[#damaged + 1] = 'parked'
    damaged[#damaged + 1] = members[i]
  end
end
return reply

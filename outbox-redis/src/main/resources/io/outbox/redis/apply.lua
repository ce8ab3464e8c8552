-- Makes outcomes durable and returns the ids and states of those that stand. Arguments, no event twice: owner, '' for any or ' '
-- for none, how many events are done and not kept, their ids, then six for each other outcome: id, kind, time, attempts before,
-- most attempts, error with '=' in front or ''. Kinds: D done, F failed, L later, K dead.

local OUTCOME_ARGS = 6
local ANY, NONE = '', ' '
local owner, deleted = ARGV[1], tonumber(ARGV[2])

local function is_open(status, event_owner)
  return (status == 0 or status == 2) and (owner == ANY or owner == (event_owner or NONE))
end

-- A failure that was counted before is known by its time and by a count beyond the one it started from.
local function is_counted(e, o)
  return o.kind == 'F' and e.status == 2 and e.due == o.time and e.attempts > o.attempts
end

-- Returns whether the event is as this outcome leaves an event.
local function shows(e, o)
  if o.kind == 'D' then return e.status == 1 and e.ended == o.time end
  if o.kind == 'L' then return e.status == 0 and e.due == o.time end
  if o.kind == 'K' then return e.status == 3 and e.error == o.error end
  return o.kind == 'F' and (e.status == 2 or e.status == 3) and e.due == o.time and e.error == o.error
end

local function leave(type, member, event_owner)
  if event_owner then leave_held(type, member) else leave_free(type, member) end
end

local function leave_place(e)
  if e.key then
    leave_order(e.type, e.due, order_member(e.key, e.number, e.id), e.owner)
  else
    leave(e.type, e.member, e.owner)
  end
end

local function bury(e)
  e.status = 3
  queue('ZADD', DEAD, '0', e.member)
  count_dead(e.type, 1)
end

local function retry(e, time)
  if e.key then
    delay_in_order(e, time)
  else
    if e.owner then leave_held(e.type, e.member) end
    put_free(e.type, text(time), e.member)
  end
  e.due = time
end

local function change(e, o)
  if o.kind == 'D' then
    leave_place(e)
    e.status, e.ended = 1, o.time
    queue('ZADD', DONE, text(o.time), e.id)
  elseif o.kind == 'L' then
    e.status = 0
    retry(e, o.time)
  elseif o.kind == 'K' then
    leave_place(e)
    e.error = o.error
    bury(e)
  else
    e.attempts, e.error = e.attempts + 1, o.error
    if e.attempts < o.most then
      e.status = 2
      retry(e, o.time)
    else
      leave_place(e)
      e.due = o.time
      bury(e)
    end
  end
  e.owner = nil
  save(e)
end

local function outcome(at)
  local error = ARGV[at + 5]
  return {
    kind = ARGV[at + 1], time = tonumber(ARGV[at + 2]), attempts = tonumber(ARGV[at + 3]), most = tonumber(ARGV[at + 4]),
    error = error ~= '' and string.sub(error, 2) or nil
  }
end

local reply = {}

local function tell_standing(id, status)
  reply[#reply + 1] = id
  reply[#reply + 1] = status
end

-- Deletes events that are done; one that is gone is as this outcome leaves it.
local function delete(ids)
  for i, packed in ipairs(fields_of(EVENT, ids)) do
    local id = ids[i]
    if packed then
      local created, due, status, _, type, _, _, event_owner, key, number = unpack_all(packed)
      if created and is_open(status, event_owner) then
        if key then
          leave_order(type, due, order_member(key, number, id), event_owner)
        else
          leave(type, created .. id, event_owner)
        end
        queue('HDEL', EVENT, id)
        queue('HDEL', BODY, id)
        packed = nil
      end
    end
    if not packed then tell_standing(id, 1) end
  end
end

local function apply(id, e, o)
  if is_open(e.status, e.owner) and not is_counted(e, o) then change(e, o) end
  if shows(e, o) then tell_standing(id, e.status) end
end

local deleted_ids, ids = {}, {}
for i = 1, deleted do deleted_ids[i] = ARGV[2 + i] end
for at = 3 + deleted, #ARGV, OUTCOME_ARGS do ids[#ids + 1] = ARGV[at] end

delete(deleted_ids)
local events = load_events(ids)
for i, id in ipairs(ids) do
  if events[id] then apply(id, events[id], outcome(3 + deleted + (i - 1) * OUTCOME_ARGS)) end
end
settle_all()
return reply

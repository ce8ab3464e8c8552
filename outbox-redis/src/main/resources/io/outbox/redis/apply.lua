-- Makes outcomes durable and returns the ids and states of those that stand. Arguments: owner or '', then six for each
-- outcome, no event twice: id, kind, time, attempts before, most attempts, error with '=' in front or ''.
-- Kinds: D done, X done and not kept, F failed, L later, K dead.

local OUTCOME_ARGS = 6
local owner = ARGV[1]

local function is_open(e) return is_pending(e) and (owner == '' or owner == e.owner) end

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

local function leave(e)
  if e.owner then leave_held(e) else leave_free(e) end
  e.owner = nil
end

local function bury(e)
  e.status = 3
  queue('ZADD', DEAD, '0', e.member)
  redis.call('HINCRBY', DEAD_COUNT, e.type, 1)
end

local function retry(e, time)
  if e.owner then leave_held(e) end
  e.owner = nil
  e.due = time
  put_free(e.type, text(time), e.member)
end

local function change(e, o)
  if o.kind == 'D' then
    leave(e)
    e.status, e.ended = 1, o.time
    queue('ZADD', DONE, text(o.time), e.id)
  elseif o.kind == 'L' then
    e.status = 0
    retry(e, o.time)
  elseif o.kind == 'K' then
    leave(e)
    e.error = o.error
    bury(e)
  else
    e.attempts, e.error = e.attempts + 1, o.error
    if e.attempts < o.most then
      e.status = 2
      retry(e, o.time)
    else
      leave(e)
      e.due = o.time
      bury(e)
    end
  end
  save(e)
end

local function delete(e)
  leave(e)
  queue('HDEL', EVENT, e.id)
  queue('HDEL', BODY, e.id)
end

local function outcome(at)
  local error = ARGV[at + 5]
  return {
    kind = ARGV[at + 1], time = tonumber(ARGV[at + 2]), attempts = tonumber(ARGV[at + 3]), most = tonumber(ARGV[at + 4]),
    error = error ~= '' and string.sub(error, 2) or nil
  }
end

local ids = {}
for at = 2, #ARGV, OUTCOME_ARGS do ids[#ids + 1] = ARGV[at] end

local reply = {}
local events = load_events(ids)
for i, id in ipairs(ids) do
  local e, at = events[id], 2 + (i - 1) * OUTCOME_ARGS
  local standing
  if ARGV[at + 1] == 'X' then
    if e and is_open(e) then
      delete(e)
      e = nil
    end
    standing = not e and 1
  elseif e then
    local o = outcome(at)
    if is_open(e) and not is_counted(e, o) then change(e, o) end
    standing = shows(e, o) and e.status
  end
  if standing then
    reply[#reply + 1] = id
    reply[#reply + 1] = standing
  end
end
settle()
return reply

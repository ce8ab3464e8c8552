-- Stores events of which some keep their order, with one argument more for each: the key, or ''. They are numbered by the time of the
-- server, or beyond the last number if that is ahead: so numbers grow, even if the last one is lost.

APPEND_ARGS = 7

local function append_in_order(args, at, number)
  local id, created, due, type, key = args[at], args[at + 1], tonumber(args[at + 2]), args[at + 3], args[at + 6]
  queue('HSET', EVENT, id, pack_new(created, due, type, nil) .. packed_order(key, number))
  queue('HSET', BODY, id, args[at + 5])
  put_in_order(type, due, order_member(key, number, id))
end

local function append(args, first, count)
  local time = now()
  local number = math.max(tonumber(time), tonumber(redis.call('GET', NUMBER) or 0) + 1)
  queue('SET', NUMBER, text(number + count - 1))
  for at = first, first + (count - 1) * APPEND_ARGS, APPEND_ARGS do
    if args[at + 6] == '' then
      append_unordered(args, at, time)
    else
      append_in_order(args, at, number)
      number = number + 1
    end
  end
  settle_all()
end

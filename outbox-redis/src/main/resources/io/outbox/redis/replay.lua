-- Makes DEAD events NEW, due at once, with all their attempts, and returns their number. One that keeps its order returns to its place. Arguments: ids, none twice.

local time, replayed = tonumber(now()), 0
local events = load_events(ARGV)
for _, e in pairs(events) do
  if e.status == 3 then
    e.status, e.attempts, e.due, e.error = 0, 0, time, nil
    queue('ZREM', DEAD, e.member)
    count_dead(e.type, -1)
    if e.key then
      put_in_order(e.type, e.due, order_member(e.key, e.number, e.id))
    else
      put_free(e.type, text(e.due), e.member)
    end
    save(e)
    replayed = replayed + 1
  end
end
settle_all()
return {replayed}

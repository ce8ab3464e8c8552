-- Gives back the events that an owner holds and returns their number. Arguments: owner, ids, none twice.

local owner, ids, released = table.remove(ARGV, 1), ARGV, 0
local events = load_events(ids)
for _, id in ipairs(ids) do
  local e = events[id]
  if e and e.owner == owner then
    if e.key then
      unlock(e.type, order_member(e.key, e.number, id), owner)
    else
      leave_held(e.type, e.member)
      put_free(e.type, text(e.due), e.member)
    end
    e.owner = nil
    save(e)
    released = released + 1
  end
end
settle()
return {released}

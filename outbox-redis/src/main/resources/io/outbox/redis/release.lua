-- Gives back the events that an owner holds and returns their number. Arguments: owner, ids, none twice.

local owner, ids, released = table.remove(ARGV, 1), ARGV, 0
local events = load_events(ids)
for _, id in ipairs(ids) do
  local e = events[id]
  if e and e.owner == owner then
    leave_held(e.type, e.member)
    e.owner = nil
    put_free(e.type, text(e.due), e.member)
    save(e)
    released = released + 1
  end
end
settle()
return {released}

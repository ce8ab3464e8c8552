-- Returns a set of arguments behind their number, and the place of the first argument after them.
local function read_set(at)
  local set, count = {}, tonumber(ARGV[at])
  for i = at + 1, at + count do set[ARGV[i]] = true end
  return set, at + count + 1
end


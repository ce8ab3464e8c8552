local count = #ARGV / APPEND_ARGS
local duplicates = taken(ARGV, 1, count)
if #duplicates == 0 then append(ARGV, 1, count) end
return duplicates

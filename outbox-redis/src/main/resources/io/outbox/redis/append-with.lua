-- The application's part and the append as one script. Arguments: number of events, the events, the application's own.

local count = tonumber(ARGV[1])
local behind = 2 + count * APPEND_ARGS
local duplicates = taken(ARGV, 2, count)
if #duplicates > 0 then return {'DUPLICATE', duplicates} end

local own_keys, own_args = {}, {}
for i = 2, #KEYS do own_keys[i - 1] = KEYS[i] end
for i = behind, #ARGV do own_args[i - behind + 1] = ARGV[i] end

-- A script that ends without a return has not declined, and has no result.
local result = application(own_keys, own_args, FALLEN_OFF)
local is_silent = result == FALLEN_OFF
if type(result) == 'table' and result.err then return result end
if not result then return {'DECLINED'} end
append(ARGV, 2, count)
if is_silent then return {'APPENDED'} end
return {'APPENDED', result}

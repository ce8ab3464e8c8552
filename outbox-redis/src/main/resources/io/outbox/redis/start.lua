-- Returns the version of the layout, or '' where there is none. Changes nothing, so that nodes start while writes are refused.
-- Argument: 'WAIT' if replicas are awaited or ''.
--
-- A script whose user lacks the right to one of its commands fails at that command, and what it did before stays. So the rights are
-- looked at first, where the server can tell: 'NORIGHT' and the commands in place of the version.

local SCHEMA = PREFIX .. 'schema'
local CALLS = {
  {'GET', SCHEMA}, {'SET', SCHEMA, ''}, {'TIME'}, {'EXISTS', EVENT},
  {'HGET', DEAD_COUNT, ''}, {'HMGET', EVENT, ''}, {'HSTRLEN', BODY, ''},
  {'HSET', BODY, '', ''}, {'HDEL', BODY, ''}, {'HINCRBY', DEAD_COUNT, '', '1'},
  {'SADD', TYPES, ''}, {'SREM', TYPES, ''}, {'SMEMBERS', TYPES},
  {'ZADD', DONE, '0', ''}, {'ZREM', DONE, ''}, {'ZSCORE', DONE, ''}, {'ZCARD', DEAD}, {'ZCOUNT', DONE, '0', '0'},
  {'ZRANGE', DEAD, '0', '0'}, {'EVAL', '', '1', EVENT}, {'WATCH', EVENT}, {'MULTI'}, {'EXEC'}
}
if ARGV[1] ~= '' then CALLS[#CALLS + 1] = {ARGV[1], '1', '1'} end

local refusal = {'NORIGHT'}
if redis.acl_check_cmd then
  for _, call in ipairs(CALLS) do
    if not redis.acl_check_cmd(unpack(call)) then refusal[#refusal + 1] = call[1] end
  end
end
if #refusal > 1 then return refusal end

return {redis.call('GET', SCHEMA) or ''}

-- Sets the version of the layout where there is none, and returns the one that is there. Argument: the version of this engine.

local schema = PREFIX .. 'schema'
redis.call('SET', schema, ARGV[1], 'NX')
return {redis.call('GET', schema)}

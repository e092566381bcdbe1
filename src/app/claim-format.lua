--- @keys format
-- ARGV: this build's format, the oldest that it reads. Answers the format that is stored when this build cannot read it,
-- otherwise 0, and stores its own.
local stored = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
if stored > tonumber(ARGV[1]) or stored < tonumber(ARGV[2]) then return stored end
redis.call('SET', KEYS[1], ARGV[1])
return 0

--- @keys format
-- ARGV: this build's format with its number of shards, the oldest that it reads, and the format alone, the newest that it
-- reads. Answers what is stored when this build cannot read it, or it is split into another number of shards; otherwise 0, and
-- stores its own.
local stored = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
local format = stored % 100
if format < tonumber(ARGV[2]) or format > tonumber(ARGV[3]) then return stored end
if stored - format ~= tonumber(ARGV[1]) - tonumber(ARGV[3]) then return stored end
redis.call('SET', KEYS[1], ARGV[1])
return 0

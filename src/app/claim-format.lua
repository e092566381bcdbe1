--- @keys format
-- ARGV: this build's format with its number of shards, the oldest format that it reads, and its format alone, which is
-- the newest that it reads. If this build cannot read the stored format, or the number of shards differs, returns the
-- stored value. Otherwise stores its own and returns 0.
local stored = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
local format = stored % 100
if format < tonumber(ARGV[2]) or format > tonumber(ARGV[3]) then return stored end
if stored - format ~= tonumber(ARGV[1]) - tonumber(ARGV[3]) then return stored end
redis.call('SET', KEYS[1], ARGV[1])
return 0

--- @keys open records, record
-- ARGV: the record as it shall be, as it was read ('' for none), time to live in seconds, its place among the open ones
-- ('' for none), its id. Answers 0 when it was changed, or what stands instead of what was read.
local stands = redis.call('GET', KEYS[2]) or ''
if stands ~= ARGV[2] then return stands end
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[1], ARGV[5])
else
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[5])
end
return 0

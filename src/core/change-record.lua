--- @keys record, open records...
-- ARGV: the new record, the record as it was read ('' if there was none), time to live in seconds, its score among the
-- open records ('' if it is not open), its id. Returns 0 when the record was changed, or the current record when it
-- differs from what was read.
local stands = redis.call('GET', KEYS[1]) or ''
if stands ~= ARGV[2] then return stands end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
if #KEYS == 1 then return 0 end
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[5])
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5])
end
return 0

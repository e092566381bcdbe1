--- @keys bucket, events of the bucket, list of buckets, first attempt
-- Counts an event once. An attempt within a day of the first one of its purchase is no further decline. ARGV: event id, start of
-- the bucket, TTL in seconds, oldest bucket to keep, time of the event, a day (both ms), how long a first attempt is kept, what
-- it is about, cents, how long it is remembered which events were counted.
if redis.call('SADD', KEYS[2], ARGV[1]) == 0 then return 0 end
local first = tonumber(redis.call('GET', KEYS[4]))
local at, day = tonumber(ARGV[5]), tonumber(ARGV[6])
local isRetry = first and math.abs(at - first) < day
if not isRetry and not (first and at < first) then redis.call('SET', KEYS[4], ARGV[5], 'EX', ARGV[7]) end
redis.call('HINCRBY', KEYS[1], 'attempts:' .. ARGV[8], 1)
if not isRetry then
  redis.call('HINCRBY', KEYS[1], 'count:' .. ARGV[8], 1)
  redis.call('HINCRBY', KEYS[1], 'cents:' .. ARGV[8], ARGV[9])
end
if redis.call('SCARD', KEYS[2]) > 1 then return 1 end
redis.call('EXPIRE', KEYS[2], ARGV[10])
redis.call('EXPIRE', KEYS[1], ARGV[3], 'NX')
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[4])
return 1

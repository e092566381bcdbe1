--- @keys bucket, events of the bucket, list of buckets
-- Counts an event once. ARGV: event id, start of the bucket, TTL in seconds, oldest bucket to keep, then pairs of field and
-- amount.
if redis.call('SADD', KEYS[2], ARGV[1]) == 0 then return 0 end
for index = 5, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[index], ARGV[index + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[4])
return 1

--- @keys newest events of accounts...
-- ARGV: TTL (s), then the event id for each key.
for index = 1, #KEYS do redis.call('SET', KEYS[index], ARGV[index + 1], 'EX', ARGV[1]) end
return 1

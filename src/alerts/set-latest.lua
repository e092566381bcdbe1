--- @keys newest events of accounts...
-- ARGV: time to live (s), then the id of the event of each.
for index = 1, #KEYS do redis.call('SET', KEYS[index], ARGV[index + 1], 'EX', ARGV[1]) end
return 1

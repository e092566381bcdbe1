--- @keys lists...
-- Sorted sets that keep their latest members. ARGV: score, member, how many are kept, time to live (s).
for at = 1, #KEYS do
  redis.call('ZADD', KEYS[at], ARGV[1], ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[at], 0, -1 - tonumber(ARGV[3]))
  redis.call('EXPIRE', KEYS[at], ARGV[4])
end
return 1

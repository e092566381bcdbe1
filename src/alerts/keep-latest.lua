--- @keys lists...
-- Sorted sets that keep their latest members. ARGV: score, member, how many are kept, time to live (s).
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, ARGV[1], ARGV[2])
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - tonumber(ARGV[3]))
  redis.call('EXPIRE', key, ARGV[4])
end
return 1

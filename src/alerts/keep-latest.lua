--- @keys lists...
-- Sorted sets that keep their latest members. The same set may occur several times. ARGV: how many members to keep, TTL
-- (s), then a score and a member for each list.
local last = {}
for at = 1, #KEYS do
  redis.call('ZADD', KEYS[at], ARGV[1 + 2 * at], ARGV[2 + 2 * at])
  last[KEYS[at]] = at
end
for at = 1, #KEYS do
  if last[KEYS[at]] == at then
    redis.call('ZREMRANGEBYRANK', KEYS[at], 0, -1 - tonumber(ARGV[1]))
    redis.call('EXPIRE', KEYS[at], ARGV[2])
  end
end
return 1

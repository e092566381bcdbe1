--- @keys edits, asked
--- @include "../core/now"
-- ARGV: ts, then each subject that was shown with when it changed last. A message that has changed since goes to the end of the
-- queue.
for at = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[at]) == ARGV[at + 1] then redis.call('HDEL', KEYS[2], ARGV[at]) end
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], 'XX', now, ARGV[1])
end
return 1

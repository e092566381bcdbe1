--- @keys queue, entries, sending, held, most, sent
--- @include "../core/now"
-- ARGV: id, JSON, how long it may wait (ms), held until (ms) or 0.
-- Answers 1 when the entry is new, or was held and is released now; otherwise 0.
if redis.call('EXISTS', KEYS[6]) == 1 then return 0 end
local isHeld = tonumber(ARGV[4]) > now
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then
  if isHeld or redis.call('ZREM', KEYS[4], ARGV[1]) == 0 then return 0 end
end
if isHeld then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2], 'since:' .. ARGV[1], now)
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
end
return 1

--- @keys edits, parked, asked
--- @include "../core/now"
-- ARGV: ts, 1 if its changes were redirected, then each subject with when it changed last. A message that has changed since does
-- not wait.
local known = (#ARGV - 2) / 2
local count = redis.call('HLEN', KEYS[3])
local hasChanged = count > known
for at = 3, #ARGV, 2 do
  if redis.call('HGET', KEYS[3], ARGV[at]) ~= ARGV[at + 1] then hasChanged = true
  elseif ARGV[2] == '1' then redis.call('HSET', KEYS[3], ARGV[at], '') end
end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if count > 0 then redis.call('ZADD', hasChanged and KEYS[1] or KEYS[2], now, ARGV[1]) end
return 1

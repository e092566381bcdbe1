--- @keys edits, asked
--- @include "../core/now"
-- ARGV: ts, how long the message must wait (ms), 1 if its changes are shown elsewhere, then each subject with when it changed last.
-- A message that has changed since does not wait.
local waits, known = tonumber(ARGV[2]), (#ARGV - 3) / 2
for at = 4, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[at]) ~= ARGV[at + 1] then waits = 0
  elseif ARGV[3] == '1' then redis.call('HSET', KEYS[2], ARGV[at], '') end
end
local changes = redis.call('HLEN', KEYS[2])
if changes == 0 then redis.call('ZREM', KEYS[1], ARGV[1])
else redis.call('ZADD', KEYS[1], 'XX', changes > known and now or now + waits, ARGV[1]) end
return 1

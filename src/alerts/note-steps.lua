--- @keys event log
-- ARGV: most steps, time to live (s), then each step and when it was. A step with the same words stays as it was.
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
for at = 3, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1

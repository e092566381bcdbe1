--- @keys alerts...
-- ARGV: most fields, time to live (s), then each step and when it was. A step with the same words stays as it was.
for log = 1, #KEYS do
  if redis.call('HLEN', KEYS[log]) < tonumber(ARGV[1]) then
    for at = 3, #ARGV, 2 do redis.call('HSETNX', KEYS[log], ARGV[at], ARGV[at + 1]) end
    redis.call('EXPIRE', KEYS[log], ARGV[2])
  end
end
return 1

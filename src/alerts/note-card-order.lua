--- @keys order, orders of the account
-- KEYS: the order, the account's orders. ARGV: step, time, alert, order id, TTL (s).
if ARGV[1] ~= '' then
  local before = redis.call('HGET', KEYS[1], ARGV[1])
  if not before or ARGV[2] < before then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
end
if ARGV[3] ~= '' then
  redis.call('HSETNX', KEYS[1], 'alert:' .. ARGV[3], string.format('%06d', redis.call('HLEN', KEYS[1])))
end
redis.call('SADD', KEYS[2], ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return redis.call('HGETALL', KEYS[1])

--- @keys links by account, accounts by user, former holders of this account
-- ARGV: account, link ('' for none), its user, now, and how long a former holder is remembered, in milliseconds.
local old = redis.call('HGET', KEYS[1], ARGV[1])
if old then
  local holder = cjson.decode(old).userId
  redis.call('ZREM', KEYS[2], holder .. ':' .. ARGV[1])
  if holder ~= ARGV[3] then
    redis.call('ZADD', KEYS[3], ARGV[4], holder)
    redis.call('PEXPIRE', KEYS[3], ARGV[5])
  end
end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[2], 0, ARGV[3] .. ':' .. ARGV[1])
end
return 1

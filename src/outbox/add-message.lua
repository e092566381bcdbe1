--- @keys what the message shows, its subjects...
-- ARGV: TTL of all keys (s), lines of the first key, field of the message, field and value of the step in the event logs of its
-- subjects ('' for none), then a value for each subject, or none when all are ''.
-- Returns how often the messages of each subject were updated.
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local updates, ttl = {}, tonumber(ARGV[1])
for index = 2, #KEYS do
  local value = ARGV[index + 4] or ''
  -- A step that is already there keeps its time.
  local stored = redis.call('HMGET', KEYS[index], 'updates', ARGV[4])
  if stored[2] or ARGV[4] == '' then
    redis.call('HSET', KEYS[index], ARGV[3], value)
  else
    redis.call('HSET', KEYS[index], ARGV[3], value, ARGV[4], ARGV[5])
  end
  -- An alert was saved moments ago with the same TTL. Reading it is cheaper than setting it again.
  if redis.call('TTL', KEYS[index]) < ttl - 3600 then redis.call('EXPIRE', KEYS[index], ttl) end
  updates[index - 1] = stored[1] or '0'
end
return updates

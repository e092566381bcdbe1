--- @keys what the message shows, its subjects...
-- ARGV: TTL of the first key (s), its lines, field of the message, field and value of the step in the event logs of its subjects
-- ('' for none), then a value and TTL (s) for each subject.
-- Returns how often the messages of each subject were updated.
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local updates = {}
for index = 2, #KEYS do
  local value, ttl = ARGV[2 * index + 2], tonumber(ARGV[2 * index + 3])
  redis.call('HSET', KEYS[index], ARGV[3], value)
  if ARGV[4] ~= '' then redis.call('HSETNX', KEYS[index], ARGV[4], ARGV[5]) end
  -- An alert was saved moments ago with the same TTL. Reading it is cheaper than setting it again.
  if redis.call('TTL', KEYS[index]) < ttl - 3600 then redis.call('EXPIRE', KEYS[index], ttl) end
  updates[index - 1] = redis.call('HGET', KEYS[index], 'updates') or '0'
end
return updates

--- @keys what the message shows, its subjects...
-- ARGV: TTL of the first key (s), its lines, field of the message, then a value and TTL (s) for each subject.
-- Returns how often the messages of each subject were updated.
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local updates = {}
for index = 2, #KEYS do
  redis.call('HSET', KEYS[index], ARGV[3], ARGV[2 * index])
  redis.call('EXPIRE', KEYS[index], ARGV[2 * index + 1])
  updates[index - 1] = redis.call('HGET', KEYS[index], 'updates') or '0'
end
return updates

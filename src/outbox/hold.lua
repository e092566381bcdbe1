--- @keys queue, entries, sending, held, most
-- ARGV: until when all held entries are held (ms); 0 makes them due, and the next run of look.lua moves them into the queue.
-- Returns their number.
local first = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
local last = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')
if first[2] ~= last[2] or tonumber(first[2]) ~= tonumber(ARGV[1]) then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do redis.call('ZADD', KEYS[4], ARGV[1], id) end
end
return redis.call('ZCARD', KEYS[4])

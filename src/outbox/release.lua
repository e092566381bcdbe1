--- @keys queue, entries, sending, held, most
-- Held entries become due, and the next look moves them into the queue. Answers how many.
local ids = redis.call('ZRANGE', KEYS[4], 0, -1)
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[4], 0, id) end
return #ids

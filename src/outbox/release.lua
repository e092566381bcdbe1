--- @keys queue, entries, sending, held, most
-- What is held may go out now, and joins the queue with the next look. Answers how many.
local ids = redis.call('ZRANGE', KEYS[4], 0, -1)
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[4], 0, id) end
return #ids

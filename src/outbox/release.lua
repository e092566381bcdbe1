--- @keys queue, entries, sending, held, most
-- Makes all held entries due. The next run of look.lua moves them into the queue. Returns their number.
local ids = redis.call('ZRANGE', KEYS[4], 0, -1)
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[4], 0, id) end
return #ids

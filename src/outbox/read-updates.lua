--- @keys subjects...
-- Answers how often the messages of each were updated.
local updates = {}
for index = 1, #KEYS do updates[index] = redis.call('HGET', KEYS[index], 'updates') or '0' end
return updates

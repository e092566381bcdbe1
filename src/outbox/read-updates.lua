--- @keys subjects...
-- Returns how often the messages of each subject were updated.
local updates = {}
for index = 1, #KEYS do updates[index] = redis.call('HGET', KEYS[index], 'updates') or '0' end
return updates

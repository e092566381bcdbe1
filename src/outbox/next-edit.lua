--- @keys edits
--- @include "../core/now"
-- Returns the ts of the message that has waited longest, and how long (ms); nothing when none waits.
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return false end
return {first[1], math.max(0, now - first[2])}

--- @keys edits
--- @include "../core/now"
-- ARGV: the longest that a parked edit waits (ms). An edit that would wait longer was asked for before the clock was set back.
-- Returns the ts of the message that has waited longest, and how long (ms); nothing when none may be edited now.
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return false end
local left = first[2] - now
if left > 0 and left <= tonumber(ARGV[1]) then return false end
return {first[1], math.max(0, -left)}

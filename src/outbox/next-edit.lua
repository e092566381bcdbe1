--- @keys edits, parked
--- @include "../core/now"
-- ARGV: the time between two tries of parked edits (ms).
-- Returns the ts of the message that has waited longest, and how long (ms); nothing when none may be edited now.
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[1] then return {first[1], math.max(0, now - first[2])} end
-- After the clock was set back, the time since these tries is unknown. The wait starts again, but never gets longer.
for _, ts in ipairs(redis.call('ZRANGE', KEYS[2], string.format('(%.0f', now), '+inf', 'BYSCORE')) do
  redis.call('ZADD', KEYS[2], now, ts)
end
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
if not last[1] then return false end
local dueFor = now - last[2] - ARGV[1]
if dueFor < 0 then return false end
return {redis.call('ZRANGE', KEYS[2], 0, 0)[1], dueFor}

--- @keys paused
--- @include "../core/now"
-- ARGV: how long to pause from now (ms), or nothing to only read. Returns the remaining pause (ms), 0 when it is over.
-- After the clock was set back, the remaining pause is unknown. The pause then starts again, but never gets longer.
if ARGV[1] then
  redis.call('SET', KEYS[1], string.format('%.0f %s', now, ARGV[1]), 'PX', ARGV[1] + 3000000)
end
local text = redis.call('GET', KEYS[1])
if not text then return 0 end
local since, length = string.match(text, '^(%d+) (%d+)$')
if tonumber(since) > now then
  since = now
  redis.call('SET', KEYS[1], string.format('%.0f %s', now, length), 'PX', length + 3000000)
end
return math.max(0, since + length - now)

--- @keys last beat of anybody, first beat ever, gaps so far, inbox
-- One beat. Uses Redis' clock, so that all processes agree on the time. A gap that ends here is recorded and added to
-- the inbox in the same step, so it will be recovered even if a process dies next. ARGV: our last beat (0: none), how
-- late a beat may be, the cause of a gap that we know of ('': none), maximum age of gaps to keep (ms), how long we have been
-- refusing webhooks without a beat so far (0: we have not).
--- @include "../core/now"
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local own, late = tonumber(ARGV[1]), tonumber(ARGV[2])
local from, cause = 0, ARGV[3]
if tonumber(ARGV[5]) > 0 then own = now - tonumber(ARGV[5]) end
if cause ~= '' then
  from = last
  if own > 0 and (from == 0 or own < from) then from = own end
elseif own > 0 and last > 0 and last < own then
  -- Redis is older than what it acknowledged.
  from, cause = last, 'rewound'
elseif own > 0 and (now - own > late or last == 0) then
  from, cause = own, 'stalled'
elseif now - last > late then
  from, cause = last, 'stalled'
end
local text = string.format('%.0f', now)
redis.call('SET', KEYS[1], text)
redis.call('SET', KEYS[2], text, 'NX')
if from > 0 then
  local start = string.format('%.0f', from)
  redis.call('ZADD', KEYS[3], start, start .. '-' .. text)
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - tonumber(ARGV[4])))
  redis.call('XADD', KEYS[4], '*', 'entry', '{"type":"gap","fromMs":' .. start .. ',"toMs":' .. text .. ',"cause":"' .. cause .. '"}')
end
return text

--- @keys order of writes
-- ARGV: a subject, the number of an earlier write of it ('' for a new write), how long numbers are kept (ms).
-- Returns the number of the write, or 0 when the subject has been written again since.
--- @include "./now"
local last = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '0')
local number = math.max(now, last + 1)
if ARGV[2] ~= '' then
  number = tonumber(ARGV[2])
  if last > number then return 0 end
  -- Redis may have been down for longer than numbers are kept. Keep the numbers of repeated writes until all processes
  -- have repeated theirs.
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), 'repeated')
end
redis.call('ZADD', KEYS[1], string.format('%.0f', number), ARGV[1])
local old = now - tonumber(ARGV[3])
if tonumber(redis.call('ZSCORE', KEYS[1], 'repeated') or '0') <= old then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', old))
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return number

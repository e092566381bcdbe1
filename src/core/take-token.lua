--- @keys bucket, pause
--- @include "../core/now"
-- Takes a token from the bucket that all workers share. ARGV: tokens per minute, bucket size, tokens to leave in it.
-- Returns 0, or the milliseconds until a token will be available.
local paused = redis.call('PTTL', KEYS[2])
if paused > 0 then return paused end
local rate, burst, floor = tonumber(ARGV[1]) / 60000, tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or burst
local at = tonumber(bucket[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local wait = 0
if tokens - 1 >= floor then tokens = tokens - 1 else wait = math.ceil((floor + 1 - tokens) / rate) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.4f', tokens), 'at', string.format('%.0f', now))
redis.call('EXPIRE', KEYS[1], 600)
return wait

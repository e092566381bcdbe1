--- @keys spans
-- KEYS: the times that alerts cover (id → first and last ms, then what the alert adds). ARGV: an alert's id, ms that it covers,
-- what it adds if it is missing, TTL (s).
local first, last, more = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+)(.*)$')
local at = tonumber(ARGV[2])
first, last = math.min(tonumber(first or at), at), math.max(tonumber(last or at), at)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f', first, last) .. (more or ARGV[3]))
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1

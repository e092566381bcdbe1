--- @keys edits, asked
--- @include "../core/now"
-- KEYS: the edits of a channel (ts, sorted by request time), and the changes in one message (subject → when it changed
-- last, in microseconds). A count would start again at 1 after an edit, and a slower edit by another worker would take the
-- next change for the one that it shows.
-- ARGV: ts, subject, TTL of the changes (s).
redis.call('HSET', KEYS[2], ARGV[2], time[1] .. ' ' .. time[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
return 1

--- @keys edits, asked
--- @include "../core/now"
-- KEYS: the edits of a channel (ts, sorted by request time), and the changes in one message (subject → count).
-- ARGV: ts, subject, TTL of the changes (s).
redis.call('HINCRBY', KEYS[2], ARGV[2], 1)
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
return 1

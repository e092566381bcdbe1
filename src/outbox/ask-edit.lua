--- @keys edits, asked
--- @include "../core/now"
-- The edits of a channel (ts, sorted by when they were asked for) and what has changed in one message (subject → how often).
-- ARGV: ts, subject, time to live of the latter (s).
redis.call('HINCRBY', KEYS[2], ARGV[2], 1)
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
return 1

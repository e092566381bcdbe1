#!lua flags=allow-oom
--- @keys workers
-- Allowed while Redis is full, so that a running worker does not count as gone. ARGV: worker id, its state.
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])

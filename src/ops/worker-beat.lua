#!lua flags=allow-oom
--- @keys workers
-- Also while Redis is full: a worker that lives must not count as gone. ARGV: worker id, what it reports.
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])

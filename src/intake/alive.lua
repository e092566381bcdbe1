#!lua flags=allow-oom
--- @keys when a web process was last alive
-- Allowed while Redis is full, so that `cardbell shards` still sees the process. Uses Redis' clock.
--- @include "../core/now"
return redis.call('SET', KEYS[1], string.format('%.0f', now))

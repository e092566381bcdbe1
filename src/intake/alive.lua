#!lua flags=allow-oom
--- @keys when a web process was last alive
-- Also while Redis is full: who must know whether a process runs cannot wait until there is room. Redis' own clock counts.
--- @include "../core/now"
return redis.call('SET', KEYS[1], string.format('%.0f', now))

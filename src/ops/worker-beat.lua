#!lua flags=allow-oom
--- @keys workers
-- Allowed while Redis is full, so that a running worker does not count as gone. ARGV: worker id, its state without the time.
-- Uses Redis' clock.
--- @include "../core/now"
local state = cjson.decode(ARGV[2])
state.atMs = now
return redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(state))

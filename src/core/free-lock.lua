--- @keys lock
-- ARGV: owner. Returns 0 unless this owner holds the lock.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])

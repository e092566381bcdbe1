--- @keys lock
-- ARGV: owner. Answers 0 when somebody else owns the lock, or nobody does.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])

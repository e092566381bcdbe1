--- @keys chain, archived
-- Removes records that a file has from the front of the chain. ARGV: the current archive position ('' for none), how
-- many records to remove, the last of them, the new archive position. Returns 0 and changes nothing if another worker
-- was first.
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end
if redis.call('LINDEX', KEYS[1], tonumber(ARGV[2]) - 1) ~= ARGV[3] then return 0 end
redis.call('LTRIM', KEYS[1], ARGV[2], -1)
redis.call('SET', KEYS[2], ARGV[4])
return 1

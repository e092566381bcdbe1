--- @keys accounts, index, who needs details
-- Writes accounts and their derived data in one step, but only accounts that are unchanged since they were read.
-- ARGV, per account: id, old JSON ('' for none), new JSON, score, number of entries to remove, these entries, number of
-- entries to add, these entries. Returns the ids of accounts that were changed in the meantime.
local failed, i = {}, 1
while i <= #ARGV do
  local id, old, new, score = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local removed = i + 5
  local added = removed + tonumber(ARGV[i + 4]) + 1
  local last = added + tonumber(ARGV[added - 1]) - 1
  if (redis.call('HGET', KEYS[1], id) or '') == old then
    redis.call('HSET', KEYS[1], id, new)
    redis.call('ZADD', KEYS[3], score, id)
    for entry = removed, added - 2 do redis.call('ZREM', KEYS[2], ARGV[entry]) end
    for entry = added, last do redis.call('ZADD', KEYS[2], 0, ARGV[entry]) end
  else
    failed[#failed + 1] = id
  end
  i = last + 1
end
return failed

--- @keys inbox, shards of the moved data, progress of the recovery, seen...
-- The intake step for fetched events: deduplicates, stores and counts in one step, so that a crash in between neither
-- posts nor counts twice. ARGV: number of shards, time to live in seconds, time to live of the progress, its counter
-- fields, then the entries.
--- @include "require-shards"
local taken = 0
for index = 4, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[2]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index + 1])
    taken = taken + 1
  end
end
if taken > 0 then
  for counter in string.gmatch(ARGV[4], '%S+') do
    redis.call('HINCRBY', KEYS[3], counter, taken)
  end
  redis.call('EXPIRE', KEYS[3], ARGV[3])
end
return taken

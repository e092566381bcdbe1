--- @keys inbox, shards of the moved data, progress of the recovery, seen...
-- The intake step for fetched events: deduplicates, stores and counts in one step, so that a crash in between neither
-- posts nor counts twice. ARGV: number of shards, time to live in seconds, time to live of the progress, then for each
-- entry its counter fields and the entry.
--- @include "require-shards"
local taken, counts = 0, {}
for index = 4, #KEYS do
  local at = index * 2 - 4
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[2]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[at + 1])
    taken = taken + 1
    for counter in string.gmatch(ARGV[at], '%S+') do
      counts[counter] = (counts[counter] or 0) + 1
    end
  end
end
if taken > 0 then
  for counter, count in pairs(counts) do
    redis.call('HINCRBY', KEYS[3], counter, count)
  end
  redis.call('EXPIRE', KEYS[3], ARGV[3])
end
return taken

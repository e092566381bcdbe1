--- @keys inbox, progress of the recovery, seen...
-- The intake step for fetched events: deduplicates, stores and counts in one step, so that a crash in between neither
-- posts nor counts twice. ARGV: time to live in seconds, time to live of the progress, its counter field, then the
-- entries.
local taken = 0
for index = 3, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index + 1])
    taken = taken + 1
  end
end
if taken > 0 then
  redis.call('HINCRBY', KEYS[2], ARGV[3], taken)
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
return taken

--- @keys inbox, shards of the moved data, seen...
-- Deduplicates and stores in one step: the caller that claims the identity also writes the event. So neither two
-- deliveries at once nor a crash between "seen" and "stored" can lose or duplicate it. ARGV: number of shards, time
-- to live in seconds, then the entries. Returns 1 for each new entry, 0 for each that was seen before.
--- @include "require-shards"
local answers = {}
for index = 3, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[2]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index])
    answers[index - 2] = 1
  else
    -- Count repeats; `/card why` shows the number.
    redis.pcall('INCR', KEYS[index])
    answers[index - 2] = 0
  end
end
return answers

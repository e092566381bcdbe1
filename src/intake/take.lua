--- @keys inbox, shards of the moved data, seen...
-- Deduplicates and stores in one step: the caller that claims the identity also writes the event. So neither two
-- deliveries at once nor a crash between "seen" and "stored" can lose or duplicate it. ARGV: number of shards, time
-- to live in seconds, the entries as lines. Returns 1 for each new entry, 0 for each that was seen before.
--- @include "require-shards"
local answers = {}
for entry in string.gmatch(ARGV[3], '[^\n]+') do
  local seen = KEYS[#answers + 3]
  if redis.call('SET', seen, '1', 'NX', 'EX', ARGV[2]) then
    redis.call('XADD', KEYS[1], '*', 'entry', entry)
    table.insert(answers, 1)
  else
    -- Count repeats; `/card why` shows the number.
    redis.pcall('INCR', seen)
    table.insert(answers, 0)
  end
end
return answers

--- @keys inbox, seen...
-- Remembers and stores in one step: whoever claims the identity also writes the event, so that neither two deliveries at
-- once nor a crash between "seen" and "stored" can lose or double it. ARGV: time to live in seconds, then the entries.
-- Answers 1 for each entry that is new, 0 for each that was seen before.
local answers = {}
for index = 2, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index])
    answers[index - 1] = 1
  else
    -- How often it came, for whoever asks why.
    redis.pcall('INCR', KEYS[index])
    answers[index - 1] = 0
  end
end
return answers

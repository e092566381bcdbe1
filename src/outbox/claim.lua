--- @keys queue, entries, sending, held, most
--- @include "../core/now"
-- ARGV: ref, then the ids. Answers the message on its way, or nothing when another worker was faster.
if redis.call('EXISTS', KEYS[3]) == 1 then return false end
local ids = {}
for index = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[index]) then return false end
  ids[#ids + 1] = ARGV[index]
end
local sending = cjson.encode({ref = ARGV[1], entryIds = ids, startedAt = now})
redis.call('SET', KEYS[3], sending)
return sending

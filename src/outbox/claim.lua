--- @keys queue, entries, sending, held, most
--- @include "../core/now"
--- @include "./in-chunks"
-- ARGV: ref, time on Slack's clock (ms) or '', then the ids. Returns the message in flight, or nothing when another worker
-- was faster.
local ids, areAllQueued = {}, true
for index = 3, #ARGV do ids[#ids + 1] = ARGV[index] end
inChunks(ids, function(chunk)
  for _, position in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(chunk))) do
    areAllQueued = areAllQueued and position
  end
end)
if not areAllQueued then return false end
local claimed = {ref = ARGV[1], entryIds = ids, slackMs = tonumber(ARGV[2]), attempt = 1}
local before = redis.call('GET', KEYS[3])
if before then
  claimed = cjson.decode(before)
  -- The reference stays the same even after an entry was removed, so that an earlier attempt can be found.
  if not claimed.isUnsent or table.concat(claimed.entryIds, ' ') ~= table.concat(ids, ' ') then return false end
  claimed.attempt = claimed.attempt + 1
end
claimed.startedAt = now
claimed.isUnsent = false
local sending = cjson.encode(claimed)
redis.call('SET', KEYS[3], sending)
return sending

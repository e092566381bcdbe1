--- @keys queue, entries, sending, held, most
--- @include "../core/now"
--- @include "./in-chunks"
-- ARGV: the most entries to read, the longest wait of held entries that are due (ms), up to how many waiting entries are returned
-- with their JSON: whoever collects more has read most of them before.
-- Returns the time, the message in flight or '', when the next held entry is due or '', then four values for each entry: id, JSON
-- or '', its position in the queue or '', how many entries may share its message or ''.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do
  redis.call('ZREM', KEYS[4], id)
  redis.call('ZADD', KEYS[1], now + ARGV[2], id)
end
local held = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
local sending = redis.call('GET', KEYS[3])
local decoded = sending and cjson.decode(sending)
if decoded then
  local left = decoded.entryIds
  -- Entries that another message turned out to have posted no longer wait: with them, it could never be claimed again.
  if decoded.isUnsent then
    left = {}
    for _, id in ipairs(decoded.entryIds) do
      if redis.call('ZSCORE', KEYS[1], id) then left[#left + 1] = id end
    end
  end
  if #left == 0 then
    redis.call('DEL', KEYS[3])
    sending = false
  elseif #left < #decoded.entryIds or decoded.startedAt > now then
    decoded.entryIds = left
    decoded.startedAt = math.min(decoded.startedAt, now)
    sending = cjson.encode(decoded)
    redis.call('SET', KEYS[3], sending)
  end
end
local ids, positions = sending and decoded.entryIds or {}, {}
if not sending then
  local queued = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
  for at = 1, #queued, 2 do ids[#ids + 1], positions[#positions + 1] = queued[at], queued[at + 1] end
end
local answer = {now, sending or '', held[2] or ''}
-- Slack rarely refuses a message for its size.
local hasMost = redis.call('EXISTS', KEYS[5]) == 1
local isInline = sending or #ids <= tonumber(ARGV[3])
local number = 0
inChunks(ids, function(chunk)
  local entries = isInline and redis.call('HMGET', KEYS[2], unpack(chunk)) or {}
  local most = hasMost and redis.call('HMGET', KEYS[5], unpack(chunk)) or {}
  for at = 1, #chunk do
    number = number + 1
    answer[4 * number] = chunk[at]
    answer[4 * number + 1] = entries[at] or ''
    answer[4 * number + 2] = positions[number] or ''
    answer[4 * number + 3] = most[at] or ''
  end
end)
return answer

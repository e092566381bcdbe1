--- @keys queue, entries, sending, held, most
--- @include "../core/now"
--- @include "./in-chunks"
-- ARGV: the most entries to read, the longest wait of held entries that are due (ms), the position up to which the caller has read
-- the entries, up to how many others are returned with what is stored of them.
-- Returns the time, the message in flight or '', when the next held entry is due or '', then as JSON: ids and positions in turn, what
-- is stored by id, and by id how many entries may share its message. One value takes the caller less time than thousands.
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
local queued = sending and {} or redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
for _, id in ipairs(sending and decoded.entryIds or {}) do queued[#queued + 1], queued[#queued + 2] = id, '' end
local ids, unread, upTo = {}, {}, tonumber(ARGV[3])
for at = 1, #queued, 2 do
  ids[#ids + 1] = queued[at]
  if sending or tonumber(queued[at + 1]) > upTo then unread[#unread + 1] = queued[at] end
end
local texts, most = {}, {}
if sending or #unread <= tonumber(ARGV[4]) then
  inChunks(unread, function(chunk)
    for at, text in ipairs(redis.call('HMGET', KEYS[2], unpack(chunk))) do texts[chunk[at]] = text or nil end
  end)
end
-- Slack rarely refuses a message for its size.
if redis.call('EXISTS', KEYS[5]) == 1 then
  inChunks(ids, function(chunk)
    for at, number in ipairs(redis.call('HMGET', KEYS[5], unpack(chunk))) do most[chunk[at]] = number or nil end
  end)
end
return {
  now, sending or '', held[2] or '', #queued > 0 and cjson.encode(queued) or '[]', cjson.encode(texts), cjson.encode(most),
}

--- @keys queue, entries, sending, held, most
--- @include "../core/now"
--- @include "./in-chunks"
-- ARGV: the most entries to read, the longest wait of held entries that are due (ms).
-- Returns the time, the message in flight or '', when the next held entry is due or '', then three values for each entry:
-- JSON, when it came, how many entries may share its message or ''.
-- If the clock was set back since an entry was stored, the entry counts as new. Otherwise it would wait until that time.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do
  redis.call('ZREM', KEYS[4], id)
  redis.call('HSET', KEYS[2], 'since:' .. id, now)
  redis.call('ZADD', KEYS[1], now + ARGV[2], id)
end
local held = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
local sending = redis.call('GET', KEYS[3])
local ids
if sending then
  local decoded = cjson.decode(sending)
  ids = decoded.entryIds
  if decoded.startedAt > now then
    decoded.startedAt = now
    sending = cjson.encode(decoded)
    redis.call('SET', KEYS[3], sending)
  end
else
  ids = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1)
end
local answer = {now, sending or '', held[2] or ''}
inChunks(ids, function(chunk)
  local came = {}
  for at, id in ipairs(chunk) do came[at] = 'since:' .. id end
  local entries = redis.call('HMGET', KEYS[2], unpack(chunk))
  local since = redis.call('HMGET', KEYS[2], unpack(came))
  local most = redis.call('HMGET', KEYS[5], unpack(chunk))
  for at, id in ipairs(chunk) do
    if since[at] and tonumber(since[at]) > now then
      redis.call('ZINCRBY', KEYS[1], now - since[at], id)
      redis.call('HSET', KEYS[2], came[at], now)
      since[at] = now
    end
    answer[#answer + 1] = entries[at] or ''
    answer[#answer + 1] = since[at] or ''
    answer[#answer + 1] = most[at] or ''
  end
end)
return answer

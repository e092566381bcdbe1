--- @keys queue, entries, sending, held, most
--- @include "../core/now"
-- ARGV: the most entries to read, how long held entries that are due may wait (ms).
-- Answers the time, the message on its way or '', when the next held entry is due or '', then three values for each entry:
-- JSON, when it came, how many may share its message or ''.
-- What was stored by a clock that has been set back since is taken to have come now, or it would wait until then.
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
for _, id in ipairs(ids) do
  local since = redis.call('HGET', KEYS[2], 'since:' .. id)
  if since and tonumber(since) > now then
    redis.call('ZINCRBY', KEYS[1], now - since, id)
    redis.call('HSET', KEYS[2], 'since:' .. id, now)
    since = now
  end
  answer[#answer + 1] = redis.call('HGET', KEYS[2], id) or ''
  answer[#answer + 1] = since or ''
  answer[#answer + 1] = redis.call('HGET', KEYS[5], id) or ''
end
return answer

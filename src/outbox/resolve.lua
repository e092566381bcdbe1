--- @keys queue, entries, sending, held, most
-- ARGV: ref, how it ended, ts or how many may share a message, attempt, time to live (s), prefix of the keys that remember
-- what was sent. Answers 1, or 0 when it was resolved already.
local sending = redis.call('GET', KEYS[3])
if not sending then return 0 end
local decoded = cjson.decode(sending)
if decoded.ref ~= ARGV[1] then return 0 end
-- An earlier attempt may still turn out to have been posted, but not what becomes of a later one.
if ARGV[2] ~= 'sent' and decoded.attempt ~= tonumber(ARGV[4]) then return 0 end
if ARGV[2] == 'again' then
  decoded.isUnsent = true
  redis.call('SET', KEYS[3], cjson.encode(decoded))
  return 1
end
for _, id in ipairs(decoded.entryIds) do
  if ARGV[2] ~= 'unsent' then
    redis.call('HDEL', KEYS[2], id, 'since:' .. id)
    redis.call('HDEL', KEYS[5], id)
    redis.call('ZREM', KEYS[1], id)
    if ARGV[2] == 'sent' then redis.call('SET', ARGV[6] .. id, ARGV[3], 'EX', ARGV[5]) end
  elseif ARGV[3] ~= '' then
    redis.call('HSET', KEYS[5], id, ARGV[3])
  end
end
redis.call('DEL', KEYS[3])
return 1

--- @keys queue, entries, sending, held, most, sent...
--- @include "./in-chunks"
--- @include "./entry-id"
-- ARGV: ref, outcome, how many entries may share a message or where they go instead (JSON), attempt, TTL (s), then where each
-- sent entry was posted, in the order of their keys, or one place for all. Returns 1, or 0 when it was already resolved.
-- What was sent is recorded even then: Redis may have rewound and lost the message in flight. An entry that waits here is then not
-- recorded as moved: it may have come back since, and would be lost. If it has not, it is moved again.
local function forget(ids)
  -- Usually none is held, and Slack has refused no message for its size.
  local areHeld, haveMost = redis.call('EXISTS', KEYS[4]) == 1, redis.call('EXISTS', KEYS[5]) == 1
  inChunks(ids, function(chunk)
    redis.call('HDEL', KEYS[2], unpack(chunk))
    redis.call('ZREM', KEYS[1], unpack(chunk))
    if haveMost then redis.call('HDEL', KEYS[5], unpack(chunk)) end
    if areHeld then redis.call('ZREM', KEYS[4], unpack(chunk)) end
  end)
end
local sending = redis.call('GET', KEYS[3])
local decoded = sending and cjson.decode(sending) or {}
local isOurs = decoded.ref == ARGV[1]
if ARGV[2] == 'sent' then
  local ids = {}
  for index = 6, #KEYS do
    local id, where = idOf(KEYS[index]), ARGV[index] or ARGV[6]
    if isOurs then
      ids[#ids + 1] = id
      redis.call('SET', KEYS[index], where, 'EX', ARGV[5])
    elseif string.sub(where, 1, 10) ~= 'elsewhere:' or redis.call('HEXISTS', KEYS[2], id) == 0 then
      ids[#ids + 1] = id
      redis.call('SET', KEYS[index], where, 'EX', ARGV[5], 'NX')
    end
  end
  forget(ids)
  if not isOurs then return 0 end
  redis.call('DEL', KEYS[3])
  return 1
end
-- An earlier attempt can still be recorded as posted, but must not decide the outcome of a later attempt.
if not isOurs or decoded.attempt ~= tonumber(ARGV[4]) then return 0 end
if ARGV[2] == 'again' then
  decoded.isUnsent = true
  redis.call('SET', KEYS[3], cjson.encode(decoded))
  return 1
end
if ARGV[2] == 'redirected' then
  decoded.redirect = cjson.decode(ARGV[3])
  redis.call('SET', KEYS[3], cjson.encode(decoded))
  return 1
end
if ARGV[3] ~= '' then
  for _, id in ipairs(decoded.entryIds) do redis.call('HSET', KEYS[5], id, ARGV[3]) end
end
redis.call('DEL', KEYS[3])
return 1

/**
 * The outbox's scripts. KEYS of each: queue (sorted by place), entries (id → JSON, and `since:` id → when it came),
 * sending, held (sorted by when its time comes), most (id → how many may share a message).
 *
 * Times are Redis' own: the clocks of workers differ, and one that is an hour fast would have its entries waiting behind
 * all others, and would take a message on its way for one that was left lying.
 */
const nowInRedis = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS[6]: the memory that it was posted. ARGV: id, JSON, its patience, held until or 0. */
export const putScript = `${nowInRedis}
if redis.call('EXISTS', KEYS[6]) == 1 then return 0 end
local isHeld = tonumber(ARGV[4]) > now
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then
  if isHeld or redis.call('ZREM', KEYS[4], ARGV[1]) == 0 then return 0 end
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
if isHeld then
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
else
  redis.call('HSET', KEYS[2], 'since:' .. ARGV[1], now)
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
end
return 1
`;

/**
 * ARGV: how many at most, patience of what was held until now.
 *
 * Answers now, the sending or empty, when the next held time comes or empty, then three for each entry: JSON, when it
 * came, how many may share its message or empty.
 */
export const lookScript = `${nowInRedis}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do
  redis.call('ZREM', KEYS[4], id)
  redis.call('HSET', KEYS[2], 'since:' .. id, now)
  redis.call('ZADD', KEYS[1], now + ARGV[2], id)
end
local held = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
local sending = redis.call('GET', KEYS[3])
local ids
if sending then ids = cjson.decode(sending).entryIds else ids = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1) end
local answer = {now, sending or '', held[2] or ''}
for _, id in ipairs(ids) do
  answer[#answer + 1] = redis.call('HGET', KEYS[2], id) or ''
  answer[#answer + 1] = redis.call('HGET', KEYS[2], 'since:' .. id) or ''
  answer[#answer + 1] = redis.call('HGET', KEYS[5], id) or ''
end
return answer
`;

/** What is held may go out now, and joins the queue with the next look. Answers how many. */
export const releaseScript = `
local ids = redis.call('ZRANGE', KEYS[4], 0, -1)
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[4], 0, id) end
return #ids
`;

/** ARGV: ref, then the ids. Answers the sending, or nothing when somebody else was quicker. */
export const claimScript = `${nowInRedis}
if redis.call('EXISTS', KEYS[3]) == 1 then return false end
local ids = {}
for place = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[place]) then return false end
  ids[#ids + 1] = ARGV[place]
end
local sending = cjson.encode({ref = ARGV[1], entryIds = ids, startedAt = now})
redis.call('SET', KEYS[3], sending)
return sending
`;

/** ARGV: ref, how it ended, ts or how many may share a message, time to live, prefix of the memory keys. */
export const settleScript = `
local sending = redis.call('GET', KEYS[3])
if not sending then return 0 end
local decoded = cjson.decode(sending)
if decoded.ref ~= ARGV[1] then return 0 end
for _, id in ipairs(decoded.entryIds) do
  if ARGV[2] ~= 'unsent' then
    redis.call('HDEL', KEYS[2], id, 'since:' .. id)
    redis.call('HDEL', KEYS[5], id)
    redis.call('ZREM', KEYS[1], id)
    if ARGV[2] == 'sent' then redis.call('SET', ARGV[5] .. id, ARGV[3], 'EX', ARGV[4]) end
  elseif ARGV[3] ~= '' then
    redis.call('HSET', KEYS[5], id, ARGV[3])
  end
end
redis.call('DEL', KEYS[3])
return 1
`;

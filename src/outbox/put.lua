--- @keys queue, entries, sending, held, most, sent...
--- @include "../core/now"
-- ARGV: for each entry, in the order of the `sent` keys: id, JSON, longest wait (ms), held until (ms) or 0.
-- Returns for each entry: 1 when it is new, or was held and is now released; `elsewhere:C1` when it was moved to that
-- channel; otherwise 0.
local function put(where, id, json, waits, heldUntil)
  if where then return string.sub(where, 1, 10) == 'elsewhere:' and where or 0 end
  local isHeld = tonumber(heldUntil) > now
  if redis.call('HSETNX', KEYS[2], id, json) == 0 then
    if isHeld or redis.call('ZREM', KEYS[4], id) == 0 then return 0 end
    redis.call('HSET', KEYS[2], id, json)
  end
  if isHeld then
    redis.call('ZADD', KEYS[4], heldUntil, id)
  else
    redis.call('ZADD', KEYS[1], now + waits, id)
  end
  return 1
end

local answers = {}
for index, where in ipairs(redis.call('MGET', KEYS[6], unpack(KEYS, 7))) do
  answers[index] = put(where, unpack(ARGV, 4 * index - 3, 4 * index))
end
return answers

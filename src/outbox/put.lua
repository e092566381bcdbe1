--- @keys queue, entries, sending, held, most, sent...
--- @include "../core/now"
-- ARGV: for each entry, in the order of the `sent` keys: id, JSON, longest wait (ms), held until (ms) or 0.
-- Returns for each entry: 1 when it is new, or was held and is now released; `elsewhere:C1` when it was moved to that
-- channel; otherwise 0.
local function put(sent, id, json, waits, heldUntil)
  local where = redis.call('GET', KEYS[sent])
  if where then return string.sub(where, 1, 10) == 'elsewhere:' and where or 0 end
  local isHeld = tonumber(heldUntil) > now
  local isKnown = redis.call('HEXISTS', KEYS[2], id) == 1
  if isKnown and (isHeld or redis.call('ZREM', KEYS[4], id) == 0) then return 0 end
  redis.call('HSET', KEYS[2], id, json)
  if isHeld then
    redis.call('ZADD', KEYS[4], heldUntil, id)
  else
    redis.call('ZADD', KEYS[1], now + waits, id)
  end
  return 1
end

local answers = {}
for index = 6, #KEYS do
  local at = 4 * (index - 6)
  answers[index - 5] = put(index, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
end
return answers

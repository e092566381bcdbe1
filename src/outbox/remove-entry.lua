--- @keys queue, entries, sending, held, most
-- Removes an entry from its channel, even from the message in flight. ARGV: its id.
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[5], ARGV[1])
local sending = redis.call('GET', KEYS[3])
if not sending then return 0 end
local decoded = cjson.decode(sending)
local left = {}
for _, id in ipairs(decoded.entryIds) do
  if id ~= ARGV[1] then left[#left + 1] = id end
end
if #left == #decoded.entryIds then return 0 end
if #left == 0 then return redis.call('DEL', KEYS[3]) end
decoded.entryIds = left
redis.call('SET', KEYS[3], cjson.encode(decoded))
return 1

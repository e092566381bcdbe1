--- @keys queue, entries, sending, held, most, sent...
--- @include "../core/now"
--- @include "./entry-id"
-- ARGV: longest wait of the entries (ms), until when they are held (ms) or 0, then what is stored of each, in the order of the
-- `sent` keys.
-- Returns for each entry: 1 when it is new, or was held and is now released; the other channel if it was moved to one;
-- otherwise 0.
local ids, answers = {}, {}
for index = 6, #KEYS do ids[#ids + 1] = idOf(KEYS[index]) end
local places = redis.call('MGET', KEYS[6], unpack(KEYS, 7))
local queued, held = redis.call('ZMSCORE', KEYS[1], unpack(ids)), redis.call('ZMSCORE', KEYS[4], unpack(ids))
local states = {}
for index, id in ipairs(ids) do states[id] = queued[index] and 'queued' or held[index] and 'held' end

local isHeld = tonumber(ARGV[2]) > now
-- As text: Redis would turn the number into text for each entry, which costs as much as reading one.
local position = isHeld and ARGV[2] or string.format('%d', now + ARGV[1])
-- Everything of a kind is written with one command.
local entries, positions, released = {}, {}, {}
local function put(where, id, text)
  if where then return string.sub(where, 1, 10) == 'elsewhere:' and string.sub(where, 11) or 0 end
  local state = states[id]
  if state == 'queued' or state == 'held' and isHeld then return 0 end
  if state == 'held' then released[#released + 1] = id end
  entries[#entries + 1], entries[#entries + 2] = id, text
  positions[#positions + 1], positions[#positions + 2] = position, id
  states[id] = isHeld and 'held' or 'queued'
  return 1
end

for index, where in ipairs(places) do answers[index] = put(where, ids[index], ARGV[index + 2]) end
if #entries > 0 then
  redis.call('HSET', KEYS[2], unpack(entries))
  if isHeld then redis.call('ZADD', KEYS[4], unpack(positions)) else redis.call('ZADD', KEYS[1], unpack(positions)) end
end
if #released > 0 then redis.call('ZREM', KEYS[4], unpack(released)) end
return answers

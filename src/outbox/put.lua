--- @keys queue, entries, sending, held, most, sent...
--- @include "../core/now"
-- ARGV: for each entry, in the order of the `sent` keys: id, JSON, longest wait (ms), held until (ms) or 0.
-- Returns for each entry: 1 when it is new, or was held and is now released; `elsewhere:C1` when it was moved to that
-- channel; otherwise 0.
local ids, answers = {}, {}
for at = 1, #ARGV, 4 do ids[#ids + 1] = ARGV[at] end
local places = redis.call('MGET', KEYS[6], unpack(KEYS, 7))
local queued, held = redis.call('ZMSCORE', KEYS[1], unpack(ids)), redis.call('ZMSCORE', KEYS[4], unpack(ids))
local states = {}
for index, id in ipairs(ids) do states[id] = queued[index] and 'queued' or held[index] and 'held' end

-- Everything of a kind is written with one command.
local entries, inQueue, onHold, released = {}, {}, {}, {}
local function put(where, id, json, waits, heldUntil)
  if where then return string.sub(where, 1, 10) == 'elsewhere:' and where or 0 end
  local state, isHeld = states[id], tonumber(heldUntil) > now
  if state == 'queued' or state == 'held' and isHeld then return 0 end
  if state == 'held' then released[#released + 1] = id end
  entries[#entries + 1], entries[#entries + 2] = id, json
  local list, position = isHeld and onHold or inQueue, isHeld and heldUntil or now + waits
  list[#list + 1], list[#list + 2] = position, id
  states[id] = isHeld and 'held' or 'queued'
  return 1
end

for index, where in ipairs(places) do answers[index] = put(where, unpack(ARGV, 4 * index - 3, 4 * index)) end
if #entries > 0 then redis.call('HSET', KEYS[2], unpack(entries)) end
if #onHold > 0 then redis.call('ZADD', KEYS[4], unpack(onHold)) end
if #released > 0 then redis.call('ZREM', KEYS[4], unpack(released)) end
if #inQueue > 0 then redis.call('ZADD', KEYS[1], unpack(inQueue)) end
return answers

--- @keys lists...
-- Sorted sets that keep their latest members. A list may appear several times. ARGV: how many members to keep, TTL (s), how many
-- to keep at most while they are not older than the newest by more than the next argument, how many the last key keeps if it is a
-- list of the members of all lists, else 0, then a score and a member for each other key.
local keep, ttl, most, keptFor = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local function add(list, members, newest, keep, most)
  redis.call('ZADD', KEYS[list], unpack(members))
  local number = redis.call('ZCARD', KEYS[list])
  if number > keep then
    local old = most > keep and redis.call('ZCOUNT', KEYS[list], '-inf', '(' .. string.format('%.0f', newest - keptFor)) or number
    local removed = math.max(math.min(number - keep, old), number - most)
    if removed > 0 then redis.call('ZREMRANGEBYRANK', KEYS[list], 0, removed - 1) end
  end
  -- Reading it is cheaper than setting it for each event.
  if redis.call('TTL', KEYS[list]) < ttl - 3600 then redis.call('EXPIRE', KEYS[list], ttl) end
end

local places, members, newest, all = {}, {}, {}, {}
local ofAll = tonumber(ARGV[5])
for at = 1, ofAll > 0 and #KEYS - 1 or #KEYS do
  local list = places[KEYS[at]] or at
  places[KEYS[at]] = list
  local score, member, own = ARGV[4 + 2 * at], ARGV[5 + 2 * at], members[list] or {}
  own[#own + 1], own[#own + 2] = score, member
  all[#all + 1], all[#all + 2] = score, member
  members[list], newest[list] = own, math.max(newest[list] or 0, tonumber(score))
end
for list, own in pairs(members) do add(list, own, newest[list], keep, most) end
if ofAll > 0 then add(#KEYS, all, 0, ofAll, ofAll) end
return 1

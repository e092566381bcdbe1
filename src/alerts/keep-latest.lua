--- @keys lists...
-- Sorted sets that keep their latest members. A list may appear several times. ARGV: how many members to keep, TTL (s), then per
-- key a score and a member.
local places, members = {}, {}
for at = 1, #KEYS do
  local list = places[KEYS[at]] or at
  places[KEYS[at]] = list
  local all = members[list] or {}
  all[#all + 1], all[#all + 2] = ARGV[1 + 2 * at], ARGV[2 + 2 * at]
  members[list] = all
end
for list, all in pairs(members) do
  redis.call('ZADD', KEYS[list], unpack(all))
  redis.call('ZREMRANGEBYRANK', KEYS[list], 0, -1 - tonumber(ARGV[1]))
  -- Reading it is cheaper than setting it for each event.
  if redis.call('TTL', KEYS[list]) < ARGV[2] - 3600 then redis.call('EXPIRE', KEYS[list], ARGV[2]) end
end
return 1

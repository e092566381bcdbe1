--- @keys lists...
-- Sorted sets that keep their latest members. A list may appear several times. ARGV: how many members to keep, TTL (s), how
-- many to keep at most, then per key the score from which members are kept beyond that number, a score and a member.
local places, members, keptFrom = {}, {}, {}
for at = 1, #KEYS do
  local list = places[KEYS[at]] or at
  places[KEYS[at]] = list
  local all = members[list] or {}
  keptFrom[list] = ARGV[1 + 3 * at]
  all[#all + 1], all[#all + 2] = ARGV[2 + 3 * at], ARGV[3 + 3 * at]
  members[list] = all
end
for list, all in pairs(members) do
  redis.call('ZADD', KEYS[list], unpack(all))
  local extra = redis.call('ZCARD', KEYS[list]) - ARGV[1]
  if extra > 0 then
    local old = redis.call('ZCOUNT', KEYS[list], '-inf', '(' .. keptFrom[list])
    local removed = math.max(math.min(extra, old), extra + ARGV[1] - ARGV[3])
    if removed > 0 then redis.call('ZREMRANGEBYRANK', KEYS[list], 0, removed - 1) end
  end
  -- Reading it is cheaper than setting it for each event.
  if redis.call('TTL', KEYS[list]) < ARGV[2] - 3600 then redis.call('EXPIRE', KEYS[list], ARGV[2]) end
end
return 1

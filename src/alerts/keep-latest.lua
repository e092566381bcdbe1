--- @keys lists...
-- Sorted sets that keep their latest members. A list may appear several times. ARGV: how many members to keep, TTL (s), then per
-- key a score and a member.
local members = {}
for at = 1, #KEYS do
  local all = members[KEYS[at]] or {}
  all[#all + 1], all[#all + 2] = ARGV[1 + 2 * at], ARGV[2 + 2 * at]
  members[KEYS[at]] = all
end
for key, all in pairs(members) do
  redis.call('ZADD', key, unpack(all))
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - tonumber(ARGV[1]))
  redis.call('EXPIRE', key, ARGV[2])
end
return 1

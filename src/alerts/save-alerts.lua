--- @keys lists of hours and alerts...
-- KEYS: for each alert, the list of its hour and the alert. ARGV: TTL of an alert (s); then for each alert: when its list
-- expires (Unix time), its line in that list, the number of fields and values that follow, and these fields and values.
local lines, ends, at = {}, {}, 2
for alert = 2, #KEYS, 2 do
  local list, last = KEYS[alert - 1], at + 2 + tonumber(ARGV[at + 2])
  redis.call('HSET', KEYS[alert], unpack(ARGV, at + 3, last))
  redis.call('EXPIRE', KEYS[alert], ARGV[1])
  lines[list] = (lines[list] or '') .. ARGV[at + 1]
  ends[list] = ARGV[at]
  at = last + 1
end
for index = 1, #KEYS, 2 do
  if lines[KEYS[index]] then
    redis.call('APPEND', KEYS[index], lines[KEYS[index]])
    redis.call('EXPIREAT', KEYS[index], ends[KEYS[index]])
    lines[KEYS[index]] = nil
  end
end
return 1

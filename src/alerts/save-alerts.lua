--- @keys lists of hours and alerts...
-- KEYS: for each alert the list of its hour, and the alert. ARGV: time to live of an alert (s), length of a piece, then per alert
-- when its list ends (Unix time), its line in that list, 1 if it was fetched late, and the packed alert, stored as pieces `p0`,
-- `p1` …
local length, places, lines, ends, names = tonumber(ARGV[2]), {}, {}, {}, {}
for alert = 2, #KEYS, 2 do
  local list, at = places[KEYS[alert - 1]] or alert - 1, 2 * alert - 1
  local packed, fields = ARGV[at + 3], { 'late', ARGV[at + 2] }
  for piece = 0, math.ceil(#packed / length) - 1 do
    names[piece] = names[piece] or 'p' .. piece
    fields[#fields + 1] = names[piece]
    fields[#fields + 1] = string.sub(packed, piece * length + 1, (piece + 1) * length)
  end
  redis.call('HSET', KEYS[alert], unpack(fields))
  redis.call('EXPIRE', KEYS[alert], ARGV[1])
  places[KEYS[list]] = list
  lines[list] = (lines[list] or '') .. ARGV[at + 1]
  ends[list] = ARGV[at]
end
for list, text in pairs(lines) do
  redis.call('APPEND', KEYS[list], text)
  redis.call('EXPIREAT', KEYS[list], ends[list])
end
return 1

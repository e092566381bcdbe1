--- @keys alerts...
--- @include "./has-room"
-- ARGV: most steps, prefix of their field names, TTL (s), then each step and its time. A step with the same words is not
-- overwritten.
local most, prefix = tonumber(ARGV[1]), ARGV[2]

for index = 1, #KEYS do
  local fields = redis.call('HLEN', KEYS[index])
  if hasRoom(index, fields, most, prefix) then
    for at = 4, #ARGV, 2 do redis.call('HSETNX', KEYS[index], ARGV[at], ARGV[at + 1]) end
    -- A step may be noted before its alert is saved (saving sets the same TTL), or after the alert has expired.
    if fields == 0 then redis.call('EXPIRE', KEYS[index], ARGV[3]) end
  end
end
return 1

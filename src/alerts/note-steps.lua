--- @keys alerts...
-- ARGV: most steps, what the names of their fields begin with, time to live (s), then each step and when it was. A step with the
-- same words stays as it was.
local most, prefix = tonumber(ARGV[1]), ARGV[2]

local function hasRoom(index, fields)
  if fields < most then return true end
  -- A warning has a field for each card as well.
  local steps = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[index])) do
    if string.sub(name, 1, #prefix) == prefix then steps = steps + 1 end
  end
  return steps < most
end

for index = 1, #KEYS do
  local fields = redis.call('HLEN', KEYS[index])
  if hasRoom(index, fields) then
    for at = 4, #ARGV, 2 do redis.call('HSETNX', KEYS[index], ARGV[at], ARGV[at + 1]) end
    -- A step may be noted before its alert is saved, which lasts for as long; it may also be one that was forgotten.
    if fields == 0 then redis.call('EXPIRE', KEYS[index], ARGV[3]) end
  end
end
return 1

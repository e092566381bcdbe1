--- @keys any key of the tag
-- Dumps keys under one hash tag in one step. Returns the cursor to continue with, then for each key: the key, when it
-- expires (ms since 1970, 0 for never), and Redis' DUMP of it. ARGV: cursor, 'all' or 'page', the pattern of the keys,
-- and prefixes of keys to leave out.
--- @include "../../src/core/now"
local function isLeftOut(key)
  for index = 4, #ARGV do
    if string.sub(key, 1, #ARGV[index]) == ARGV[index] then return true end
  end
  return false
end
local dumped = {'0'}
local cursor = ARGV[1]
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', ARGV[3], 'COUNT', 500)
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    if not isLeftOut(key) then
      local left = redis.call('PTTL', key)
      table.insert(dumped, key)
      table.insert(dumped, left < 0 and '0' or string.format('%.0f', now + left))
      table.insert(dumped, redis.call('DUMP', key))
    end
  end
until cursor == '0' or ARGV[2] == 'page'
dumped[1] = cursor
return dumped

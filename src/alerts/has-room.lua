-- Whether an alert's log can take another step. @param fields how many fields the alert has.
local function hasRoom(index, fields, most, prefix)
  if fields < most then return true end
  -- A warning also has a field for each card.
  local steps = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[index])) do
    if string.sub(name, 1, #prefix) == prefix then steps = steps + 1 end
  end
  return steps < most
end

-- The id of the entry with this `sent` key.
local function idOf(key) return string.match(key, ':sent:(.*)$') end

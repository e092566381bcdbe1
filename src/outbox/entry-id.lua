-- The id of the entry with this `sent` key. All of a script's keys are of one channel.
local _, prefix = string.find(KEYS[6] or '', ':sent:', 1, true)
local function idOf(key) return string.sub(key, prefix + 1) end

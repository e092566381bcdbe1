--- @keys lists...
-- Returns by how much the highest score of each list exceeds its lowest.
local spans = {}
for at = 1, #KEYS do
  local first = redis.call('ZRANGE', KEYS[at], 0, 0, 'WITHSCORES')[2] or 0
  local last = redis.call('ZRANGE', KEYS[at], -1, -1, 'WITHSCORES')[2] or 0
  spans[at] = last - first
end
return spans

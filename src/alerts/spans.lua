-- The times that alerts cover, in one string: a line for each alert with its id, the first and last ms, and what else is stored
-- of it. Setting a string with its time to live takes one command, a hash two. The times stay text, because Lua is slow at
-- turning numbers into text. `place` is the number of the string among the keys.
local function readSpans(place)
  local spans = {}
  for id, first, last, more in string.gmatch(redis.call('GET', KEYS[place]) or '', '(%S+) (%d+) (%d+)([^\n]*)\n') do
    spans[#spans + 1] = { id = id, first = first, last = last, more = more }
  end
  return spans
end

local function writeSpans(place, spans, ttl)
  local text = ''
  for _, span in ipairs(spans) do text = text .. span.id .. ' ' .. span.first .. ' ' .. span.last .. span.more .. '\n' end
  redis.call('SET', KEYS[place], text, 'EX', ttl)
end

-- Makes an alert cover a time (ms, as text). @param more what is stored of an alert that is not there yet.
local function coverTime(spans, id, ms, more)
  for _, span in ipairs(spans) do
    if span.id == id then
      if tonumber(ms) < tonumber(span.first) then span.first = ms end
      if tonumber(ms) > tonumber(span.last) then span.last = ms end
      return span
    end
  end
  spans[#spans + 1] = { id = id, first = ms, last = ms, more = more }
  return spans[#spans]
end

--- @keys running groups, alerts...
-- KEYS: the rule's running groups (leader → first and last ms), the alerts of the event and of all leaders. Answers nothing
-- where a leader is not among them: another event has come first.
-- ARGV: event id, ms, ISO time, told at, cents, gap, span, pattern of an alert's id, channel, two times to live, how many may run, 1
-- for an event that was fetched late.
local alerts = {}
for i = 2, #KEYS do alerts[string.match(KEYS[i], ARGV[8])] = KEYS[i] end
-- An alert says which group it is in: that of another one, or its own, of which it counts the repeats.
local event, repeatsField, groupField = ARGV[1], 'repeats:' .. ARGV[9], 'group:' .. ARGV[9]
local known = redis.call('HMGET', alerts[event], groupField, repeatsField)
if known[1] then return known[1] end
if known[2] then return event end
local running = redis.call('HGETALL', KEYS[1])
for i = 1, #running, 2 do
  if not alerts[running[i]] then return '' end
end
local at, gapMax, spanMax = tonumber(ARGV[2]), tonumber(ARGV[6]), tonumber(ARGV[7])

local function isOver(leader)
  local fields = redis.call('HGETALL', alerts[leader])
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 8) == 'outcome:' then
      local outcome = cjson.decode(fields[i + 1])
      local isDone = outcome.state == 'done' and outcome.verb ~= 'acknowledge'
      if isDone and outcome.at < ARGV[4] then return true end
    end
    if fields[i] == 'late' and fields[i + 1] == '1' and ARGV[13] ~= '1' then return true end
  end
  return false
end

local best, bestGap, bestFirst, bestLast, oldest, oldestLast
for i = 1, #running, 2 do
  local first, last = string.match(running[i + 1], '^(%d+) (%d+)$')
  first, last = tonumber(first), tonumber(last)
  if not oldest or last < oldestLast then oldest, oldestLast = running[i], last end
  local gap = math.max(0, first - at, at - last)
  local span = math.max(last, at) - math.min(first, at)
  local fits = gap <= gapMax and span <= spanMax
  if fits and (not best or gap < bestGap) and not isOver(running[i]) then
    best, bestGap, bestFirst, bestLast = running[i], gap, first, last
  end
end

local leader = best or event
local first, last = math.min(bestFirst or at, at), math.max(bestLast or at, at)
local repeats = '1 ' .. ARGV[5] .. ' ' .. ARGV[3]
local text = best and redis.call('HGET', alerts[best], repeatsField)
if text then
  -- Of a single decline its cents and when it was, of several the least and most of both.
  local count, min, max, from, to = string.match(text, '^(%d+) (%-?%d+) (%-?%d+) (%S+) (%S+)$')
  if not count then
    count, min, from = string.match(text, '^(%d+) (%-?%d+) (%S+)$')
    max, to = min, from
  end
  local cents = tonumber(ARGV[5])
  repeats = string.format('%.0f %.0f %.0f %s %s', count + 1, math.min(min, cents), math.max(max, cents),
    first == at and ARGV[3] or from, last == at and ARGV[3] or to)
elseif not best and #running >= 2 * tonumber(ARGV[12]) then
  redis.call('HDEL', KEYS[1], oldest)
end
redis.call('HSET', KEYS[1], leader, string.format('%.0f %.0f', first, last))
redis.call('EXPIRE', KEYS[1], ARGV[10])
redis.call('HSET', alerts[leader], repeatsField, repeats)
redis.call('EXPIRE', alerts[leader], ARGV[11])
if leader ~= event then
  redis.call('HSET', alerts[event], groupField, leader)
  redis.call('EXPIRE', alerts[event], ARGV[11])
end
return leader

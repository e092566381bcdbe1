--- @keys group of the event, running groups, alerts...
-- KEYS: the group of the event in the channel, the rule's running groups (leader → first and last ms), the alerts of the
-- event and of all leaders. Answers nothing where a leader is not among them: another event has come first.
-- ARGV: event id, ms, ISO time, told at, cents, gap, span, prefix of alerts, field of the repeats, three times to live, how
-- many may run, 1 for an event that was fetched late.
local known = redis.call('GET', KEYS[1])
if known then return known end
local alerts = {}
for i = 3, #KEYS do alerts[string.sub(KEYS[i], #ARGV[8] + 1)] = KEYS[i] end
local running = redis.call('HGETALL', KEYS[2])
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
    if fields[i] == 'alert' and ARGV[14] ~= '1' and cjson.decode(fields[i + 1]).late then return true end
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

local leader = best or ARGV[1]
local first, last = math.min(bestFirst or at, at), math.max(bestLast or at, at)
local cents = tonumber(ARGV[5])
local repeats = { count = 1, firstAt = ARGV[3], lastAt = ARGV[3], minCents = cents, maxCents = cents }
if best then
  local text = redis.call('HGET', alerts[leader], ARGV[9])
  if text then
    local before = cjson.decode(text)
    repeats.count = before.count + 1
    repeats.firstAt = first == at and ARGV[3] or before.firstAt
    repeats.lastAt = last == at and ARGV[3] or before.lastAt
    repeats.minCents = math.min(before.minCents, cents)
    repeats.maxCents = math.max(before.maxCents, cents)
  end
elseif #running >= 2 * tonumber(ARGV[13]) then
  redis.call('HDEL', KEYS[2], oldest)
end
redis.call('SET', KEYS[1], leader, 'EX', ARGV[10])
redis.call('HSET', KEYS[2], leader, string.format('%.0f %.0f', first, last))
redis.call('EXPIRE', KEYS[2], ARGV[11])
redis.call('HSET', alerts[leader], ARGV[9], cjson.encode(repeats))
redis.call('EXPIRE', alerts[leader], ARGV[12])
return leader

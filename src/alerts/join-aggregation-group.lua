--- @keys running groups and alerts...
--- @include "./spans"
-- KEYS: per event the running groups of its rule (the times that their leaders cover) and its alert. Then the alerts of other
-- leaders.
-- ARGV: pattern of an alert's id in a key, number of events, most running groups per rule, TTL of an alert (s), then per event, in
-- one string, id, ms, TTL of its groups (s), channel, cents, ISO time, and what only running groups need: told at, gap, span, 1 if
-- fetched late.
-- Answers per event which alert represents its group, or '' when the alert of a leader is not among the keys.
local pattern, count, runningMax, alertTtl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
-- The place of each alert among the keys, by its id.
local places = {}
for index = 2 * count + 1, #KEYS do places[string.match(KEYS[index], pattern)] = index end

local function isOver(alert, toldAt, isLate)
  local fields = redis.call('HGETALL', KEYS[alert])
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 8) == 'outcome:' then
      local outcome = cjson.decode(fields[i + 1])
      local isDone = outcome.state == 'done' and outcome.verb ~= 'acknowledge'
      if isDone and outcome.at < toldAt then return true end
    end
    if fields[i] == 'late' and fields[i + 1] == '1' and not isLate then return true end
  end
  return false
end

-- The running group that a decline belongs to, and the one that ended first. True if the alert of a leader is not among the keys.
local function choose(running, event, at, rest)
  if #running == 0 then return false end
  local toldAt, gapMax, spanMax, late = string.match(rest, '^(%S+) (%S+) (%S+) (%d)$')
  local best, bestGap, oldest
  for index, group in ipairs(running) do
    local place, first, last = places[group.id], tonumber(group.first), tonumber(group.last)
    if not place then return true end
    if not oldest or last < tonumber(running[oldest].last) then oldest = index end
    local gap = math.max(0, first - at, at - last)
    local span = math.max(last, at) - math.min(first, at)
    local fits = gap <= tonumber(gapMax) and span <= tonumber(spanMax)
    if group.id == event then return false, group end
    if fits and (not best or gap < bestGap) and not isOver(place, toldAt, late == '1') then best, bestGap = group, gap end
  end
  return false, best, oldest
end

local function join(groups, own, event, ms, lasts, channel, cents, iso, rest)
  -- An alert stores the group it joined, or the repeats of the group it leads.
  local repeatsField, groupField = 'repeats:' .. channel, 'group:' .. channel
  local known = redis.call('HMGET', KEYS[own], groupField, repeatsField, 'late')
  if known[1] then return known[1] end
  -- After a loss in Redis, repeats may rejoin a group before its leader.
  local isAwaited = known[2] and string.sub(known[2], 1, 1) == '+'
  if known[2] and not isAwaited then return event end
  local running, at = readSpans(groups), tonumber(ms)
  local isLacking, best, oldest = choose(running, event, at, rest)
  if isLacking then return '' end
  local leader = best and best.id or event
  local alert = places[leader]
  -- A group without its leader's decline starts with '+'.
  local repeats = (leader == event and '1 ' or '+1 ') .. cents .. ' ' .. iso
  local text = best and redis.call('HGET', KEYS[alert], repeatsField)
  if text then
    -- A single decline stores its cents and time. Several store the minimum and maximum of both.
    local waits, number, min, max, from, to = string.match(text, '^(%+?)(%d+) (%-?%d+) (%-?%d+) (%S+) (%S+)$')
    if not number then
      waits, number, min, from = string.match(text, '^(%+?)(%d+) (%-?%d+) (%S+)$')
      max, to = min, from
    end
    if leader == event then waits = '' end
    local amount = tonumber(cents)
    repeats = string.format('%s%d %d %d %s %s', waits, number + 1, math.min(tonumber(min), amount),
      math.max(tonumber(max), amount), at <= tonumber(best.first) and iso or from, at >= tonumber(best.last) and iso or to)
  elseif not best and #running >= runningMax then
    table.remove(running, oldest)
  end
  local last = coverTime(running, leader, ms, '').last
  writeSpans(groups, running, lasts)
  redis.call('HSET', KEYS[alert], repeatsField, repeats)
  -- Its numbers are those of now.
  if leader ~= event and tonumber(last) == at then redis.call('HSET', KEYS[alert], 'newest:' .. channel, event) end
  -- An alert that was just saved already has the same TTL.
  if leader ~= event or not known[3] then redis.call('EXPIRE', KEYS[alert], alertTtl) end
  if leader ~= event then
    redis.call('HSET', KEYS[own], groupField, leader)
    redis.call('EXPIRE', KEYS[own], alertTtl)
  end
  return leader
end

local items = {}
for index = 1, count do
  items[index] = { string.match(ARGV[4 + index], '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$') }
  places[items[index][1]] = 2 * index
end
local leaders = {}
for index = 1, count do leaders[index] = join(2 * index - 1, 2 * index, unpack(items[index])) end
return leaders

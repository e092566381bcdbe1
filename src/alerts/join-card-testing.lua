--- @keys declines, facts, warnings, alerts...
-- KEYS: the merchant's declines by time, their facts, its warnings (id → first and last ms, and the cents that other
-- amounts are compared with), the alert of the warning that this event may cause, and the alerts of all other warnings.
-- Returns '' when the alert of a warning is missing: another event came first.
-- ARGV: event id, ms, facts (JSON), id of the warning that this event causes, window, gap, span, cards, pattern of an alert
-- id, most declines remembered, seconds they are remembered, TTL of a warning (s), largest small amount (cents).
local alerts = {}
for i = 4, #KEYS do alerts[string.match(KEYS[i], ARGV[9])] = KEYS[i] end
local warnings = redis.call('HGETALL', KEYS[3])
for i = 1, #warnings, 2 do
  if not alerts[warnings[i]] then return '' end
end
local at = tonumber(ARGV[2])
local window, gap, span, cards = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local cents, small = cjson.decode(ARGV[3]).minCents, tonumber(ARGV[13])

-- Both small, or at most a fifth apart.
local function isAlike(one, other)
  local most = math.max(one, other)
  return most <= small or math.abs(one - other) * 5 <= most
end

-- Filters ids and their times: keeps those with a similar amount.
local function alike(found, to)
  local kept = {}
  for i = 1, #found, 2 do
    local facts = cjson.decode(redis.call('HGET', KEYS[2], found[i]))
    if isAlike(facts.minCents, to) then kept[#kept + 1] = { id = found[i], at = tonumber(found[i + 1]), acct = facts.acctId } end
  end
  return kept
end

-- Each place once, sorted, so that the order of arrival makes no difference.
local function union(one, other)
  local seen, all = {}, {}
  for _, places in ipairs({ one or {}, other or {} }) do
    for _, place in ipairs(places) do
      if not seen[place] then seen[place] = true; all[#all + 1] = place end
    end
  end
  table.sort(all)
  return all
end

local function count(warning, text)
  local facts = cjson.decode(text)
  local field = 'tried:' .. string.format('%.0f', facts.acctId)
  local before = redis.call('HGET', alerts[warning], field)
  if before then
    local known = cjson.decode(before)
    facts.count = known.count + 1
    -- Buttons of messages that were already posted name the card by this id, so it stays.
    facts.alertId = known.alertId
    if known.firstAt < facts.firstAt then facts.firstAt = known.firstAt end
    if known.lastAt > facts.lastAt then facts.lastAt = known.lastAt end
    facts.minCents = math.min(known.minCents, facts.minCents)
    facts.maxCents = math.max(known.maxCents, facts.maxCents)
    facts.places = union(known.places, facts.places)
    if facts.last4 == cjson.null then facts.last4 = known.last4 end
    if facts.holder == cjson.null then facts.holder = known.holder end
  end
  redis.call('HSET', alerts[warning], field, cjson.encode(facts))
  redis.call('EXPIRE', alerts[warning], ARGV[12])
end

local function bounds(text)
  local first, last, to = string.match(text, '^(%d+) (%d+) (%d+)$')
  return tonumber(first), tonumber(last), tonumber(to)
end

-- A decline within the gap of another decline of this warning also belongs to it. Otherwise the order of arrival would
-- decide.
local function keep(warning, first, last, to)
  while true do
    local before = alike(redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. first, first - gap, 'WITHSCORES'), to)[1]
    local after = alike(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. last, last + gap, 'WITHSCORES'), to)[1]
    local next
    if before and last - before.at <= span then first, next = before.at, before.at
    elseif after and after.at - first <= span then last, next = after.at, after.at
    else break end
    for _, one in ipairs(alike(redis.call('ZRANGEBYSCORE', KEYS[1], next, next, 'WITHSCORES'), to)) do
      count(warning, redis.call('HGET', KEYS[2], one.id))
    end
  end
  redis.call('HSET', KEYS[3], warning, string.format('%.0f %.0f %.0f', first, last, to))
  redis.call('EXPIRE', KEYS[3], ARGV[11])
end

local isNew = redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1]) == 1
if isNew then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3]) end
for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[11]) end

for i = 1, #warnings, 2 do
  local first, last, to = bounds(warnings[i + 1])
  local isNear = at >= first - gap and at <= last + gap and isAlike(cents, to)
  if isNear and math.max(last, at) - math.min(first, at) <= span then
    if isNew then
      if at >= first and at <= last then count(warnings[i], ARGV[3]) end
      keep(warnings[i], first, last, to)
    end
    return warnings[i]
  end
end

local near = alike(redis.call('ZRANGEBYSCORE', KEYS[1], at - window, at + window, 'WITHSCORES'), cents)
local first, last
for i = 1, #near do
  local seen, number = {}, 0
  for j = i, #near do
    if near[j].at - near[i].at > window then break end
    if not seen[near[j].acct] then seen[near[j].acct] = true; number = number + 1 end
    if number >= cards then first, last = near[i].at, near[j].at end
  end
  if first then break end
end
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[10])
if over > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do redis.call('HDEL', KEYS[2], id) end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, over - 1)
end
if not first then return false end

for _, one in ipairs(alike(redis.call('ZRANGEBYSCORE', KEYS[1], first, last, 'WITHSCORES'), cents)) do
  count(ARGV[4], redis.call('HGET', KEYS[2], one.id))
end
keep(ARGV[4], first, last, cents)
return ARGV[4]

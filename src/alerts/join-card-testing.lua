--- @keys declines, facts, warnings, alerts...
-- KEYS: for each decline its merchant's declines by time, their facts, the merchant's warnings (id → first and last ms, and the
-- cents that other amounts are compared with), and the alert of the warning that it may cause. Then the alerts of other warnings.
-- ARGV: pattern of an alert's id in a key, number of declines, window, gap, span, cards, most declines remembered, seconds they
-- are remembered, TTL of a warning (s), largest small amount (cents), then per decline its event id, ms, facts (JSON), and the id
-- of the warning that it may cause.
-- Answers per decline its warning, nothing, or '' when the alert of a warning is not among the keys.
local pattern, declines = ARGV[1], tonumber(ARGV[2])
local window, gap, span, cards = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local remembered, rememberedFor, warningTtl, small = tonumber(ARGV[7]), ARGV[8], ARGV[9], tonumber(ARGV[10])
local alerts = {}
for index = 1, #KEYS do
  if index > 4 * declines or index % 4 == 0 then alerts[string.match(KEYS[index], pattern)] = KEYS[index] end
end
-- Those of the decline that is being joined.
local declinesKey, factsKey, warningsKey

-- Both small, or at most a fifth apart.
local function isAlike(one, other)
  local most = math.max(one, other)
  return most <= small or math.abs(one - other) * 5 <= most
end

-- Filters ids and their times: keeps those with a similar amount.
local function alike(found, to)
  local kept = {}
  for i = 1, #found, 2 do
    local facts = cjson.decode(redis.call('HGET', factsKey, found[i]))
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
  redis.call('EXPIRE', alerts[warning], warningTtl)
end

local function bounds(text)
  local first, last, to = string.match(text, '^(%d+) (%d+) (%d+)$')
  return tonumber(first), tonumber(last), tonumber(to)
end

-- A decline within the gap of another decline of this warning also belongs to it. Otherwise the order of arrival would
-- decide.
local function keep(warning, first, last, to)
  while true do
    local before = alike(redis.call('ZREVRANGEBYSCORE', declinesKey, '(' .. first, first - gap, 'WITHSCORES'), to)[1]
    local after = alike(redis.call('ZRANGEBYSCORE', declinesKey, '(' .. last, last + gap, 'WITHSCORES'), to)[1]
    local next
    if before and last - before.at <= span then first, next = before.at, before.at
    elseif after and after.at - first <= span then last, next = after.at, after.at
    else break end
    for _, one in ipairs(alike(redis.call('ZRANGEBYSCORE', declinesKey, next, next, 'WITHSCORES'), to)) do
      count(warning, redis.call('HGET', factsKey, one.id))
    end
  end
  redis.call('HSET', warningsKey, warning, string.format('%.0f %.0f %.0f', first, last, to))
  redis.call('EXPIRE', warningsKey, rememberedFor)
end

local function join(id, at, text, own)
  local warnings = redis.call('HGETALL', warningsKey)
  for i = 1, #warnings, 2 do
    if not alerts[warnings[i]] then return '' end
  end
  local cents = cjson.decode(text).minCents
  local isNew = redis.call('ZADD', declinesKey, 'NX', at, id) == 1
  if isNew then redis.call('HSET', factsKey, id, text) end
  redis.call('EXPIRE', declinesKey, rememberedFor)
  redis.call('EXPIRE', factsKey, rememberedFor)

  for i = 1, #warnings, 2 do
    local first, last, to = bounds(warnings[i + 1])
    local isNear = at >= first - gap and at <= last + gap and isAlike(cents, to)
    if isNear and math.max(last, at) - math.min(first, at) <= span then
      if isNew then
        if at >= first and at <= last then count(warnings[i], text) end
        keep(warnings[i], first, last, to)
      end
      return warnings[i]
    end
  end

  local near = alike(redis.call('ZRANGEBYSCORE', declinesKey, at - window, at + window, 'WITHSCORES'), cents)
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
  local over = redis.call('ZCARD', declinesKey) - remembered
  if over > 0 then
    for _, id in ipairs(redis.call('ZRANGE', declinesKey, 0, over - 1)) do redis.call('HDEL', factsKey, id) end
    redis.call('ZREMRANGEBYRANK', declinesKey, 0, over - 1)
  end
  if not first then return false end

  for _, one in ipairs(alike(redis.call('ZRANGEBYSCORE', declinesKey, first, last, 'WITHSCORES'), cents)) do
    count(own, redis.call('HGET', factsKey, one.id))
  end
  keep(own, first, last, cents)
  return own
end

local answers = {}
for index = 1, declines do
  declinesKey, factsKey, warningsKey = KEYS[4 * index - 3], KEYS[4 * index - 2], KEYS[4 * index - 1]
  local at = 4 * index + 7
  answers[index] = join(ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2], ARGV[at + 3])
end
return answers

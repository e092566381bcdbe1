--- @keys declines, facts, warnings, alerts...
--- @include "./spans"
-- KEYS: for each decline its merchant's declines by time, their facts, the merchant's warnings (the times that they cover, and
-- the cents that other amounts are compared with), and the alert of the warning that it may cause. Then the alerts of other warnings.
-- ARGV: pattern of an alert's id in a key, number of declines, window, gap, span, cards, most declines remembered, seconds they
-- are remembered, TTL of a warning (s), largest small amount (cents), then per decline its event id, ms, facts (JSON), and the id
-- of the warning that it may cause.
-- Answers per decline its warning, nothing, or '' when the alert of a warning is not among the keys.
local pattern, joining = ARGV[1], tonumber(ARGV[2])
local window, gap, span, cards = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local remembered, rememberedFor, warningTtl, small = tonumber(ARGV[7]), ARGV[8], ARGV[9], tonumber(ARGV[10])
local alerts = {}
for index = 1, #KEYS do
  if index > 4 * joining or index % 4 == 0 then alerts[string.match(KEYS[index], pattern)] = KEYS[index] end
end
-- Positions of the keys of the decline that is being joined.
local declines, facts, warnings

-- Both small, or at most a fifth apart.
local function isAlike(one, other)
  local most = math.max(one, other)
  return most <= small or math.abs(one - other) * 5 <= most
end

-- Filters ids and their times: keeps those with a similar amount.
local function alike(found, to)
  local kept = {}
  for i = 1, #found, 2 do
    local decline = cjson.decode(redis.call('HGET', KEYS[facts], found[i]))
    if isAlike(decline.minCents, to) then
      kept[#kept + 1] = { id = found[i], at = tonumber(found[i + 1]), acct = decline.acctId }
    end
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
  local tried = cjson.decode(text)
  local field = 'tried:' .. string.format('%.0f', tried.acctId)
  local before = redis.call('HGET', alerts[warning], field)
  if before then
    local known = cjson.decode(before)
    tried.count = known.count + 1
    -- Buttons of messages that were already posted name the card by this id, so it stays.
    tried.alertId = known.alertId
    if known.firstAt < tried.firstAt then tried.firstAt = known.firstAt end
    if known.lastAt > tried.lastAt then tried.lastAt = known.lastAt end
    tried.minCents = math.min(known.minCents, tried.minCents)
    tried.maxCents = math.max(known.maxCents, tried.maxCents)
    tried.places = union(known.places, tried.places)
    if tried.last4 == cjson.null then tried.last4 = known.last4 end
    if tried.holder == cjson.null then tried.holder = known.holder end
  end
  redis.call('HSET', alerts[warning], field, cjson.encode(tried))
  redis.call('EXPIRE', alerts[warning], warningTtl)
end

-- The cents that amounts are compared with. A warning that Redis has lost ends with `lost` until one of its declines has counted
-- the others again.
local function amountOf(warning)
  local to, lost = string.match(warning.more, '^ (%d+)(.*)$')
  return tonumber(to), lost ~= ''
end

local function countAll(warning, first, last, to)
  for _, one in ipairs(alike(redis.call('ZRANGEBYSCORE', KEYS[declines], first, last, 'WITHSCORES'), to)) do
    count(warning, redis.call('HGET', KEYS[facts], one.id))
  end
end

-- A decline within the gap of another decline of this warning also belongs to it. Otherwise the order of arrival would
-- decide.
local function keep(running, warning, first, last, to)
  while true do
    local before = alike(redis.call('ZREVRANGEBYSCORE', KEYS[declines], '(' .. first, first - gap, 'WITHSCORES'), to)[1]
    local after = alike(redis.call('ZRANGEBYSCORE', KEYS[declines], '(' .. last, last + gap, 'WITHSCORES'), to)[1]
    local next
    if before and last - before.at <= span then first, next = before.at, before.at
    elseif after and after.at - first <= span then last, next = after.at, after.at
    else break end
    countAll(warning, next, next, to)
  end
  coverTime(running, warning, string.format('%.0f', first), '')
  local kept = coverTime(running, warning, string.format('%.0f', last), '')
  kept.more = string.format(' %.0f', to)
  -- What no decline can join any more. Writing the others renews the time to live of all.
  for index = #running, 1, -1 do
    if tonumber(running[index].last) < last - 1000 * rememberedFor then table.remove(running, index) end
  end
  writeSpans(warnings, running, rememberedFor)
end

-- Removes what is older than it may be remembered, because each decline renews the time to live of all, and what is too much.
local function forget(at)
  local old = redis.call('ZCOUNT', KEYS[declines], '-inf', string.format('(%.0f', at - 1000 * rememberedFor))
  local over = math.max(old, redis.call('ZCARD', KEYS[declines]) - remembered)
  if over > 0 then
    for _, id in ipairs(redis.call('ZRANGE', KEYS[declines], '0', over - 1)) do redis.call('HDEL', KEYS[facts], id) end
    redis.call('ZREMRANGEBYRANK', KEYS[declines], '0', over - 1)
  end
end

local function join(id, at, text, own)
  local running = readSpans(warnings)
  for _, warning in ipairs(running) do
    if not alerts[warning.id] then return '' end
  end
  local cents = cjson.decode(text).minCents
  local isNew = redis.call('ZADD', KEYS[declines], 'NX', at, id) == 1
  if isNew then
    redis.call('HSET', KEYS[facts], id, text)
    forget(at)
  end
  redis.call('EXPIRE', KEYS[declines], rememberedFor)
  redis.call('EXPIRE', KEYS[facts], rememberedFor)

  for _, warning in ipairs(running) do
    local first, last, to, isLost = tonumber(warning.first), tonumber(warning.last), amountOf(warning)
    local isNear = at >= first - gap and at <= last + gap and isAlike(cents, to)
    if isNear and math.max(last, at) - math.min(first, at) <= span then
      if isNew then
        if isLost then countAll(warning.id, first, last, to)
        elseif at >= first and at <= last then count(warning.id, text) end
        keep(running, warning.id, first, last, to)
      end
      return warning.id
    end
  end

  if redis.call('ZCARD', KEYS[declines]) < cards then return false end
  local near = alike(redis.call('ZRANGEBYSCORE', KEYS[declines], at - window, at + window, 'WITHSCORES'), cents)
  local first, last
  for i = 1, #near do
    local seen, cardsSeen = {}, 0
    for j = i, #near do
      if near[j].at - near[i].at > window then break end
      if not seen[near[j].acct] then seen[near[j].acct] = true; cardsSeen = cardsSeen + 1 end
      if cardsSeen >= cards then first, last = near[i].at, near[j].at end
    end
    if first then break end
  end
  if not first then return false end

  countAll(own, first, last, cents)
  keep(running, own, first, last, cents)
  return own
end

local answers = {}
for index = 1, joining do
  declines, facts, warnings = 4 * index - 3, 4 * index - 2, 4 * index - 1
  local at = 4 * index + 7
  answers[index] = join(ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2], ARGV[at + 3])
end
return answers

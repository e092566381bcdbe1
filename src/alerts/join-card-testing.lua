--- @keys declines, facts, warnings
-- KEYS: declines of the merchant by time, their facts, its warnings (id → first and last ms).
-- ARGV: event id, ms, facts (JSON), id of a warning that this event causes, window, gap, span, cards, prefix of alerts,
-- most remembered, seconds remembered, seconds that a warning is kept.
local at = tonumber(ARGV[2])
local window, gap, span, cards = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local function count(warning, text)
  local facts = cjson.decode(text)
  local key, field = ARGV[9] .. warning, 'tried:' .. string.format('%.0f', facts.acctId)
  local before = redis.call('HGET', key, field)
  if before then
    local known = cjson.decode(before)
    facts.count = known.count + 1
    -- The name of a card in the controls of messages that stand already: it stays.
    facts.alertId = known.alertId
    if known.firstAt < facts.firstAt then facts.firstAt = known.firstAt end
    if known.lastAt > facts.lastAt then facts.lastAt = known.lastAt end
    facts.minCents = math.min(known.minCents, facts.minCents)
    facts.maxCents = math.max(known.maxCents, facts.maxCents)
    if facts.last4 == cjson.null then facts.last4 = known.last4 end
    if facts.holder == cjson.null then facts.holder = known.holder end
  end
  redis.call('HSET', key, field, cjson.encode(facts))
  redis.call('EXPIRE', key, ARGV[12])
end

local function bounds(text)
  local first, last = string.match(text, '^(%d+) (%d+)$')
  return tonumber(first), tonumber(last)
end

-- What lies within the gap of what belongs to it belongs to it as well, or the order of arrival would decide.
local function keep(warning, first, last)
  while true do
    local before = redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. first, first - gap, 'WITHSCORES', 'LIMIT', 0, 1)
    local after = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. last, last + gap, 'WITHSCORES', 'LIMIT', 0, 1)
    if before[1] and last - tonumber(before[2]) <= span then first = tonumber(before[2])
    elseif after[1] and tonumber(after[2]) - first <= span then last = tonumber(after[2])
    else break end
    local at = last
    if before[1] and first == tonumber(before[2]) then at = first end
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], at, at)) do
      count(warning, redis.call('HGET', KEYS[2], id))
    end
  end
  redis.call('HSET', KEYS[3], warning, string.format('%.0f %.0f', first, last))
  redis.call('EXPIRE', KEYS[3], ARGV[11])
end

local isNew = redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1]) == 1
if isNew then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3]) end
for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[11]) end

local warnings = redis.call('HGETALL', KEYS[3])
for i = 1, #warnings, 2 do
  local first, last = bounds(warnings[i + 1])
  local isNear = at >= first - gap and at <= last + gap
  if isNear and math.max(last, at) - math.min(first, at) <= span then
    if isNew then
      if at >= first and at <= last then count(warnings[i], ARGV[3]) end
      keep(warnings[i], first, last)
    end
    return warnings[i]
  end
end

local near = redis.call('ZRANGEBYSCORE', KEYS[1], at - window, at + window, 'WITHSCORES')
local first, last
for i = 1, #near, 2 do
  local seen, number = {}, 0
  for j = i, #near, 2 do
    if tonumber(near[j + 1]) - tonumber(near[i + 1]) > window then break end
    local acct = cjson.decode(redis.call('HGET', KEYS[2], near[j])).acctId
    if not seen[acct] then seen[acct] = true; number = number + 1 end
    if number >= cards then first, last = tonumber(near[i + 1]), tonumber(near[j + 1]) end
  end
  if first then break end
end
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[10])
if over > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do redis.call('HDEL', KEYS[2], id) end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, over - 1)
end
if not first then return false end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], first, last)) do
  count(ARGV[4], redis.call('HGET', KEYS[2], id))
end
keep(ARGV[4], first, last)
return ARGV[4]

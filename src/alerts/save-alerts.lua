--- @keys alerts of the hour, alerts and what lists them...
--- @include "./has-room"
-- KEYS: the list of the hour; for each alert the alert, its account's newest event, the latest of its kind and the account's
-- payments, or only the first of these; then, if the alerts are declines, the list of all declines.
-- ARGV: TTL of an alert (s), length of a piece, number of keys of each alert, when the list of the hour ends (Unix time), most
-- steps, prefix of their field names; of the latest of a kind how many are kept, TTL (s), how many at most while they are not older
-- than the newest by more than the next argument (ms); how many are kept of all declines; number of logs, then of each its number
-- of steps, and each step and its time. Then for each alert "id ms late log", where late is 1 if it was fetched late and log is 0 if
-- there is none, and the packed alert, stored as pieces `p0`, `p1` …
-- Returns for each decline whether a payment of its account is listed at its time or later (1 or 0).
local ttl, length, each, stepsMax, prefix = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5]), ARGV[6]
local keep, listTtl, most, keptFor = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local logs, at = {}, 13
for log = 1, tonumber(ARGV[12]) do
  local last = at + 2 * ARGV[at]
  logs[log] = { unpack(ARGV, at + 1, last) }
  at = last + 1
end

local names = {}
local function save(alert, packed, late, log)
  local fields = { 'late', late }
  for piece = 0, math.ceil(#packed / length) - 1 do
    names[piece] = names[piece] or 'p' .. piece
    fields[#fields + 1] = names[piece]
    fields[#fields + 1] = string.sub(packed, piece * length + 1, (piece + 1) * length)
  end
  local known = log and redis.call('HLEN', KEYS[alert])
  if known == 0 then
    for _, part in ipairs(log) do fields[#fields + 1] = part end
  elseif known and hasRoom(alert, known, stepsMax, prefix) then
    -- A step with the same words keeps its time.
    for step = 1, #log, 2 do redis.call('HSETNX', KEYS[alert], log[step], log[step + 1]) end
  end
  redis.call('HSET', KEYS[alert], unpack(fields))
  redis.call('EXPIRE', KEYS[alert], ttl)
end

local function addToLatest(list, members, newest)
  redis.call('ZADD', KEYS[list], unpack(members))
  local number = redis.call('ZCARD', KEYS[list])
  if number > keep then
    local old = most > keep and redis.call('ZCOUNT', KEYS[list], '-inf', '(' .. string.format('%d', newest - keptFor)) or number
    local removed = math.max(math.min(number - keep, old), number - most)
    if removed > 0 then redis.call('ZREMRANGEBYRANK', KEYS[list], 0, removed - 1) end
  end
  -- Reading it is cheaper than setting it for each event.
  if redis.call('TTL', KEYS[list]) < listTtl - 3600 then redis.call('EXPIRE', KEYS[list], listTtl) end
end

-- Alerts of one account come together: what they share is read and written once.
local lines, newestEvents, lists, all, lastPayments, followed = {}, {}, {}, {}, {}, {}
for index = 1, math.floor((#KEYS - 1) / each) do
  local alert = 2 + each * (index - 1)
  local newest, latest, payments = alert + 1, alert + 2, alert + 3
  local id, ms, late, log = string.match(ARGV[at], '^(%S+) (%S+) (%d) (%d+)$')
  save(alert, ARGV[at + 1], late, logs[tonumber(log)])
  lines[index] = id .. '\n'
  if each > 1 then newestEvents[KEYS[newest]] = { at = newest, id = id } end
  if each > 2 then
    local list = lists[KEYS[latest]] or { at = latest, members = {}, newest = 0 }
    local members = list.members
    members[#members + 1], members[#members + 2] = ms, id
    list.newest = math.max(list.newest, tonumber(ms))
    lists[KEYS[latest]] = list
  end
  if each > 3 then
    all[#all + 1], all[#all + 2] = ms, id
    local key = KEYS[payments]
    lastPayments[key] = lastPayments[key] or tonumber(redis.call('ZREVRANGE', KEYS[payments], '0', '0', 'WITHSCORES')[2]) or -1
    followed[index] = lastPayments[key] >= tonumber(ms) and 1 or 0
  end
  at = at + 2
end
for _, event in pairs(newestEvents) do
  local newest = event.at
  redis.call('SET', KEYS[newest], event.id, 'EX', ttl)
end
for _, list in pairs(lists) do addToLatest(list.at, list.members, list.newest) end
redis.call('APPEND', KEYS[1], table.concat(lines))
redis.call('EXPIREAT', KEYS[1], ARGV[4])
if #all > 0 then
  local declines = #KEYS
  redis.call('ZADD', KEYS[declines], unpack(all))
  redis.call('ZREMRANGEBYRANK', KEYS[declines], 0, -1 - ARGV[11])
  if redis.call('TTL', KEYS[declines]) < listTtl - 3600 then redis.call('EXPIRE', KEYS[declines], listTtl) end
end
return followed

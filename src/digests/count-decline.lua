--- @keys list of buckets, buckets and their events and first attempts...
-- Counts events once each. An attempt within a day of its purchase's first attempt is not another decline. KEYS: then each bucket
-- and the events of the bucket, then the first attempt of each event: that of the latest decline of this purchase, and that of
-- another one, because events may arrive late. ARGV: TTL (s), oldest bucket to keep, a day (ms), TTL of a
-- first attempt (s), TTL of the counted event ids (s), number of buckets, the start of each, then for each event, in one string, its
-- id, the number of its bucket, time of the event (ms), cents, what it is about. A bucket stores by what they are about how many
-- declines, how many attempts, and the cents.
local day, count = tonumber(ARGV[3]), tonumber(ARGV[6])
local buckets = {}
for number = 1, count do
  local key = 2 * number
  buckets[number] = { bucket = key, events = key + 1, start = ARGV[6 + number], ids = {}, isCounted = {}, sums = {} }
end

-- Read before any write: if a read fails, no event must be recorded as counted without having been counted.
local firsts, given = {}, {}
for index = 1, #KEYS - 1 - 2 * count do
  local tried = 1 + 2 * count + index
  if firsts[KEYS[tried]] == nil then
    local latest, other = string.match(redis.call('GET', KEYS[tried]) or '', '^(%S+) ?(%S*)')
    firsts[KEYS[tried]] = { latest = tonumber(latest), other = tonumber(other) }
  end
  local id, bucket, time, cents, about = string.match(ARGV[6 + count + index], '^(%S+) (%d+) (%S+) (%S+) (.*)$')
  local of = buckets[tonumber(bucket)]
  of.ids[#of.ids + 1] = id
  given[index] = { tried, of, id, time, about, cents }
end
for _, of in ipairs(buckets) do
  local events = of.events
  local known = redis.call('SMISMEMBER', KEYS[events], unpack(of.ids))
  for index, id in ipairs(of.ids) do of.isCounted[id] = known[index] == 1 end
end

local function isNear(first, at) return first and math.abs(at - first) < day end

-- Events of the same batch are summed first, by bucket and by what they are about.
local function add(tried, of, id, time, about, cents)
  if of.isCounted[id] then return end
  of.isCounted[id] = true
  local first, at = firsts[KEYS[tried]], tonumber(time)
  local isRetry = isNear(first.latest, at) or isNear(first.other, at)
  if not isRetry then
    if first.latest and at < first.latest then first.other = at else first.latest, first.other = at, first.latest end
    local both = first.other and string.format('%d %d', first.latest, first.other) or time
    redis.call('SET', KEYS[tried], both, 'EX', ARGV[4])
  end
  local sums = of.sums[about] or { attempts = 0, count = 0, cents = 0 }
  of.sums[about] = sums
  sums.attempts = sums.attempts + 1
  if isRetry then return end
  sums.count = sums.count + 1
  sums.cents = sums.cents + cents
end

for _, one in ipairs(given) do add(unpack(one)) end
for _, of in ipairs(buckets) do
  local bucket, events = of.bucket, of.events
  redis.call('SADD', KEYS[events], unpack(of.ids))
  local abouts, fields = {}, {}
  for about in pairs(of.sums) do abouts[#abouts + 1] = about end
  if #abouts > 0 then
    for at, before in ipairs(redis.call('HMGET', KEYS[bucket], unpack(abouts))) do
      local sums = of.sums[abouts[at]]
      local count, attempts, cents = string.match(before or '0 0 0', '^(%d+) (%d+) (%-?%d+)$')
      fields[2 * at - 1] = abouts[at]
      fields[2 * at] = string.format('%d %d %d', count + sums.count, attempts + sums.attempts, cents + sums.cents)
    end
    redis.call('HSET', KEYS[bucket], unpack(fields))
  end
  redis.call('EXPIRE', KEYS[events], ARGV[5])
  redis.call('EXPIRE', KEYS[bucket], ARGV[1], 'NX')
  redis.call('ZADD', KEYS[1], of.start, of.start)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
return 1

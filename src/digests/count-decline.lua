--- @keys list of buckets, buckets and their events and first attempts...
-- Counts events once each. An attempt within a day of its purchase's first attempt is not another decline. KEYS: then for
-- each event its bucket, the events of the bucket, and the first attempt. ARGV: TTL (s), oldest bucket to keep, a day (ms),
-- TTL of a first attempt (s), TTL of the counted event ids (s), then for each event its id, start of the bucket, time of
-- the event (ms), what it is about, cents.
local day = tonumber(ARGV[3])

-- What is known of each purchase's first attempt, and the events of each bucket.
local firsts, buckets = {}, {}
-- Read before any write: if a read fails, no event must be recorded as counted without having been counted.
for index = 1, (#KEYS - 1) / 3 do
  local bucket, tried, id = 3 * index - 1, 3 * index + 1, 5 * index + 1
  local name, purchase = KEYS[bucket], KEYS[tried]
  if firsts[purchase] == nil then firsts[purchase] = tonumber(redis.call('GET', KEYS[tried])) or false end
  local of = buckets[name] or { bucket = bucket, start = ARGV[id + 1], ids = {}, isCounted = {}, sums = {} }
  buckets[name], of.ids[#of.ids + 1] = of, ARGV[id]
end
for _, of in pairs(buckets) do
  local events = of.bucket + 1
  local known = redis.call('SMISMEMBER', KEYS[events], unpack(of.ids))
  for index, id in ipairs(of.ids) do of.isCounted[id] = known[index] == 1 end
end

-- Events of the same batch are summed first, by bucket and by what they are about.
local function count(bucket, tried, id, time, about, cents)
  local of = buckets[KEYS[bucket]]
  if of.isCounted[id] then return end
  of.isCounted[id] = true
  local first, at = firsts[KEYS[tried]], tonumber(time)
  local isRetry = first and math.abs(at - first) < day
  if not isRetry and not (first and at < first) then
    redis.call('SET', KEYS[tried], time, 'EX', ARGV[4])
    firsts[KEYS[tried]] = at
  end
  local sums = of.sums[about] or { attempts = 0, count = 0, cents = 0 }
  of.sums[about] = sums
  sums.attempts = sums.attempts + 1
  if isRetry then return end
  sums.count = sums.count + 1
  sums.cents = sums.cents + cents
end

for index = 1, (#KEYS - 1) / 3 do
  local at = 5 * index + 1
  count(3 * index - 1, 3 * index + 1, ARGV[at], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
end
for _, of in pairs(buckets) do
  local bucket, events = of.bucket, of.bucket + 1
  redis.call('SADD', KEYS[events], unpack(of.ids))
  local names, added, fields = {}, {}, {}
  for about, sums in pairs(of.sums) do
    for name, sum in pairs(sums) do
      if sum ~= 0 then names[#names + 1], added[#added + 1] = name .. ':' .. about, sum end
    end
  end
  if #names > 0 then
    for at, before in ipairs(redis.call('HMGET', KEYS[bucket], unpack(names))) do
      fields[2 * at - 1], fields[2 * at] = names[at], string.format('%.0f', (before or 0) + added[at])
    end
    redis.call('HSET', KEYS[bucket], unpack(fields))
  end
  redis.call('EXPIRE', KEYS[events], ARGV[5], 'NX')
  redis.call('EXPIRE', KEYS[bucket], ARGV[1], 'NX')
  redis.call('ZADD', KEYS[1], of.start, of.start)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
end
return 1

--- @keys list of buckets, buckets and their events and first attempts...
-- Counts events once each. An attempt within a day of its purchase's first attempt is not another decline. KEYS: then for
-- each event its bucket, the events of the bucket, and the first attempt. ARGV: TTL (s), oldest bucket to keep, a day (ms),
-- TTL of a first attempt (s), TTL of the counted event ids (s), then for each event its id, start of the bucket, time of
-- the event (ms), what it is about, cents.
local day = tonumber(ARGV[3])

-- Read before any write: if a read fails, no event must be recorded as counted without having been counted.
local firsts = {}
for tried = 4, #KEYS, 3 do firsts[KEYS[tried]] = tonumber(redis.call('GET', KEYS[tried])) end

-- Events of the same batch are summed first, by bucket and by what they are about.
local buckets = {}
local function sumsOf(bucket, start, about)
  local name = KEYS[bucket]
  buckets[name] = buckets[name] or { bucket = bucket, start = start, sums = {} }
  local sums = buckets[name].sums
  sums[about] = sums[about] or { attempts = 0, count = 0, cents = 0 }
  return sums[about]
end

local function count(bucket, events, tried, id, start, time, about, cents)
  if redis.call('SADD', KEYS[events], id) == 0 then return end
  local first = firsts[KEYS[tried]]
  local at = tonumber(time)
  local isRetry = first and math.abs(at - first) < day
  if not isRetry and not (first and at < first) then
    redis.call('SET', KEYS[tried], time, 'EX', ARGV[4])
    firsts[KEYS[tried]] = at
  end
  local sums = sumsOf(bucket, start, about)
  sums.attempts = sums.attempts + 1
  if isRetry then return end
  sums.count = sums.count + 1
  sums.cents = sums.cents + cents
end

local arg = 6
for key = 2, #KEYS, 3 do
  count(key, key + 1, key + 2, unpack(ARGV, arg, arg + 4))
  arg = arg + 5
end
for _, of in pairs(buckets) do
  local bucket, events = of.bucket, of.bucket + 1
  for about, sums in pairs(of.sums) do
    for name, sum in pairs(sums) do
      if sum ~= 0 then redis.call('HINCRBY', KEYS[bucket], name .. ':' .. about, string.format('%.0f', sum)) end
    end
  end
  redis.call('EXPIRE', KEYS[events], ARGV[5], 'NX')
  redis.call('EXPIRE', KEYS[bucket], ARGV[1], 'NX')
  redis.call('ZADD', KEYS[1], of.start, of.start)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
end
return 1

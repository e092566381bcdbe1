-- A process that slept while `cardbell shards` moved the data would add to a shard that nobody reads any more.
local shards = redis.call('GET', KEYS[2])
if shards and shards ~= ARGV[1] then return redis.error_reply('SHARDS the data was moved to other shards') end

--- @keys mutes, what this one withheld
-- ARGV: id, TTL (s), the alerts it withholds. Returns 0 when the mute is not in force.
local mute = redis.call('HGET', KEYS[1], ARGV[1])
if not mute or cjson.decode(mute).hasEnded then return 0 end
for index = 3, #ARGV do redis.call('SADD', KEYS[2], ARGV[index]) end
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1

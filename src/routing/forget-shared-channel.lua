--- @keys visibility version, shared channels
-- ARGV: the version that was read before Slack said that the channel is not shared ('': none), channel. Keeps the channel if Slack
-- has reported a change since.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
return redis.call('SREM', KEYS[2], ARGV[2])

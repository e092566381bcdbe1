-- Redis' clock in milliseconds, because workers' clocks differ.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

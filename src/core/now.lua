-- Redis' own clock in milliseconds: the clocks of workers differ.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

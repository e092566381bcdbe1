--- @keys open case of the account, case of the alert, case of the report
-- ARGV: the case to open and its alert, separated by a space, and TTL (s).
-- A report that is handled again keeps its case. Otherwise it would open a case again that was closed meanwhile.
local known = redis.call('GET', KEYS[3])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('EXPIRE', KEYS[1], ARGV[2])
local open = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[2], string.match(open, '^%S+'), 'EX', ARGV[2])
redis.call('SET', KEYS[3], open, 'EX', ARGV[2])
return open

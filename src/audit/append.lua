--- @keys chain, head, memory of the statement, archived
-- Adds a record unless the same statement exists already or another writer has added one since. ARGV: previous hash,
-- line, own hash, TTL of the memory in seconds. Returns 'known', 'moved' with the current hash, or 'added' with the
-- count.
if redis.call('EXISTS', KEYS[3]) == 1 then return {'known'} end
local last = redis.call('GET', KEYS[2]) or ARGV[1]
if last ~= ARGV[1] then return {'moved', last} end
local archived = string.match(redis.call('GET', KEYS[4]) or '', '^%d+') or 0
local count = tonumber(archived) + redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
redis.call('SET', KEYS[3], '1', 'EX', ARGV[4])
return {'added', count}

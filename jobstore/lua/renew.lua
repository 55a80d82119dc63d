#!lua flags=allow-oom
-- renew.lua moves the end of a lease. The beat counts the renewals of one
-- epoch: it is this call's op token, and an old renewal that arrives late
-- changes nothing.
-- KEYS   1 job  2 due
-- ARGV   1 id  2 epoch  3 beat  4 lease ms
-- reply  renewed | ended | stale | missing
local now = clock()
local beat, lease = int(3), int(4)
hashes(KEYS[1])
zsets(KEYS[2])
local j = fields(KEYS[1], 'state', 'epoch', 'holder', 'beat:' .. ARGV[2])
if not j[1] then return 'missing' end
if j[4] and beat <= tonumber(j[4]) then return 'renewed' end
if not live(j[1]) then return 'ended' end
if j[2] ~= ARGV[2] or j[3] == '' then return 'stale' end
-- Guards end here. Below this line nothing refuses.
call('HSET', KEYS[1], 'beat:' .. ARGV[2], text(beat), 'lease', text(now + lease))
call('ZADD', KEYS[2], text(now + lease), ARGV[1])
return 'renewed'

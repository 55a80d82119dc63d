#!lua flags=allow-oom
-- release.lua gives a job back: somebody must look at it again after a delay,
-- or, for an unknown job that only an operator can settle, nobody.
-- KEYS   1 job  2 due
-- ARGV   1 op token  2 id  3 epoch  4 delay ms, '' for never
-- job    queued | unknown -> the same
-- reply  released | busy | ended | stale | missing
local now = clock()
local delay = ARGV[4] ~= '' and int(4) or nil
hashes(KEYS[1])
zsets(KEYS[2])
local again = replay(KEYS[1], ARGV[1])
if again then return again end
local j = fields(KEYS[1], 'state', 'epoch', 'holder')
if not j[1] then return 'missing' end
if not live(j[1]) then return 'ended' end
if j[2] ~= ARGV[3] or j[3] == '' then return 'stale' end
if j[1] == 'running' then return 'busy' end
if j[1] == 'queued' and not delay then return 'busy' end
-- Guards end here. Below this line nothing refuses.
-- A clean release is no fruitless claim.
call('HSET', KEYS[1], 'lease', '0', 'holder', '', 'claims', '0')
if delay then call('ZADD', KEYS[2], text(now + delay), ARGV[2]) else call('ZREM', KEYS[2], ARGV[2]) end
return answer(KEYS[1], ARGV[1], 'released')

#!lua flags=allow-oom
-- fail.lua ends a job under which nothing is open and nothing more may start:
-- its time is over, or no target is left.
-- KEYS   1 job  2 due  3 open  4 idem  5 ended  6 outbox  7 owed  8 log  9… attempts 1…N
-- ARGV   1 op token  2 id  3 N, the attempts the caller knows of  4 epoch  5 error (opaque)  6 retention ms  7 channel
-- job    queued -> failed
-- reply  failed <version> <now> | blocked <attempts> | ended | stale | missing | moved <attempts>
local now = clock()
local known, retention = int(3), span(6)
local k = ending_keys(known)
local again = replay(k.job, ARGV[1])
if again then return again end
local j = fields(k.job, 'state', 'epoch', 'version', 'attempts', 'open', 'owner', 'holder', 'callback', 'contract')
if not j[1] then return 'missing' end
if not live(j[1]) then return 'ended' end
if j[2] ~= ARGV[4] or j[7] == '' then return 'stale' end
if tonumber(j[4]) ~= known then return 'moved ' .. j[4] end
if tonumber(j[5]) > 0 then return 'blocked ' .. j[4] end
-- Guards end here. Below this line nothing refuses.
local version = text(tonumber(j[3]) + 1)
call('HSET', k.job, 'state', 'failed', 'version', version, 'error', ARGV[5], 'ended', text(now), 'lease', '0', 'holder', '')
note(k.log, 'failed', version)
owe(k, j[8], ARGV[2], j[6], j[9], text(now), 'failed', version)
local reply = answer(k.job, ARGV[1], 'failed ' .. version .. ' ' .. text(now))
finish(k, now, retention, ARGV[2], j[6], ARGV[7])
return reply

#!lua flags=allow-oom
-- cancel.lua ends a job by its owner's word. What its open attempts did stays
-- unproved: they are cancelled for us, and a late answer is discarded.
-- KEYS     1 job  2 due  3 open  4 idem  5 ended  6 outbox  7 owed  8 log  9… attempts 1…N
-- ARGV     1 op token  2 id  3 N, the attempts the caller knows of  4 settlement: who and why (opaque)  5 retention ms  6 channel
-- attempt  starting | running | unknown -> cancelled
-- job      queued | running | unknown -> cancelled
-- reply    cancelled <version> <now> | ended <job state> | missing | moved <attempts>
local now = clock()
local known, retention = int(3), span(5)
local k = ending_keys(known)
local again = replay(k.job, ARGV[1])
if again then return again end
local j = fields(k.job, 'state', 'version', 'attempts', 'owner', 'callback', 'contract')
if not j[1] then return 'missing' end
if not live(j[1]) then return 'ended ' .. j[1] end
if tonumber(j[3]) ~= known then return 'moved ' .. j[3] end
-- Guards end here. Below this line nothing refuses.
local version = text(tonumber(j[2]) + 1)
for n, a in ipairs(k.attempts) do
  local state = call('HGET', a, 'state')
  if state and open(state) then
    call('HSET', a, 'state', 'cancelled', 'ended', text(now), 'settlement', ARGV[4])
    note(k.log, 'cancelled', version, text(n), 'cancelled')
  end
end
call('HSET', k.job, 'state', 'cancelled', 'version', version, 'ended', text(now), 'open', '0', 'lease', '0', 'holder', '')
note(k.log, 'cancelled', version)
owe(k, j[5], ARGV[2], j[4], j[6], text(now), 'cancelled', version)
local reply = answer(k.job, ARGV[1], 'cancelled ' .. version .. ' ' .. text(now))
finish(k, now, retention, ARGV[2], j[4], ARGV[6])
return reply

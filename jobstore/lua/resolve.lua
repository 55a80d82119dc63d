#!lua flags=allow-oom
-- resolve.lua settles an unknown attempt from outside the request path (R12):
-- an operator, or the contract's policy, says what became of it.
-- KEYS     1 job  2 due  3 open  4 idem  5 ended  6 outbox  7 owed  8 log  9… attempts 1…N
-- ARGV     1 op token  2 id  3 N, the attempts the caller knows of  4 number
--          5 as: executed | not_executed | cancelled  6 version the caller saw, '' for any
--          7 settlement: who and why (opaque)  8 failure for the attempt (opaque)  9 result, '' for none (opaque)
--          10 what follows when nothing is open: queue | fail  11 error of the job when it fails (opaque)
--          12 new budget ms, '' to keep the deadline  13 retention ms  14 channel
-- attempt  unknown -> succeeded (executed, with its result) | failed | cancelled
-- job      unknown | running -> succeeded | queued | failed | the same while another attempt is open
-- reply    resolved <job state> <version> <now> | not_unknown <attempt state> | too_soon <ms> | conflict <version>
--          ended | missing | moved <attempts>
local now = clock()
local known, n, retention = int(3), int(4), span(13)
local as = ARGV[5]
if as ~= 'executed' and as ~= 'not_executed' and as ~= 'cancelled' then error('ARGV 5 is no settlement') end
if ARGV[10] ~= 'queue' and ARGV[10] ~= 'fail' then error('ARGV 10 is neither queue nor fail') end
local budget = ARGV[12] ~= '' and int(12) or nil
local k = ending_keys(known)
local again = replay(k.job, ARGV[1])
if again then return again end
local j = fields(k.job, 'state', 'version', 'attempts', 'open', 'owner', 'callback', 'contract')
if not j[1] then return 'missing' end
if tonumber(j[3]) ~= known then return 'moved ' .. j[3] end
local attempt = k.attempts[n]
local a = attempt and fields(attempt, 'state', 'send_by') or {}
if not a[1] then return 'missing' end
if a[1] ~= 'unknown' then return 'not_unknown ' .. a[1] end
if not live(j[1]) then return 'ended' end
if ARGV[6] ~= '' and ARGV[6] ~= j[2] then return 'conflict ' .. j[2] end
-- Until the send window has passed a paused router could still send it.
if as == 'not_executed' and tonumber(a[2]) >= now then return 'too_soon ' .. text(tonumber(a[2]) - now + 1) end
-- Guards end here. Below this line nothing refuses.
if as == 'not_executed' and call('HDEL', attempt, 'possible') == 1 then call('HSET', attempt, 'certain', '0') end
local left = tonumber(j[4]) - 1
if as == 'executed' and ARGV[9] ~= '' then
  local version = text(tonumber(j[2]) + 1)
  call('HSET', attempt, 'state', 'succeeded', 'ended', text(now), 'settlement', ARGV[7])
  call('HSET', k.job, 'state', 'succeeded', 'completed_by', ARGV[4], 'version', version, 'result', ARGV[9],
    'ended', text(now), 'open', text(left), 'lease', '0', 'holder', '')
  note(k.log, 'succeeded', version, ARGV[4], 'succeeded')
  owe(k, j[6], ARGV[2], j[5], j[7], text(now), 'succeeded', version)
  local reply = answer(k.job, ARGV[1], 'resolved succeeded ' .. version .. ' ' .. text(now))
  finish(k, now, retention, ARGV[2], j[5], ARGV[14])
  return reply
end
local is = as == 'cancelled' and 'cancelled' or 'failed'
call('HSET', attempt, 'state', is, 'ended', text(now), 'settlement', ARGV[7], 'failure', ARGV[8])
call('HSET', k.job, 'open', text(left), 'claims', '0')
if left > 0 then
  -- Another attempt is open and read the same version: its own state fences this attempt out.
  note(k.log, j[1], j[2], ARGV[4], is)
  return answer(k.job, ARGV[1], 'resolved ' .. j[1] .. ' ' .. j[2] .. ' ' .. text(now))
end
local version = text(tonumber(j[2]) + 1)
if ARGV[10] == 'fail' then
  call('HSET', k.job, 'state', 'failed', 'version', version, 'error', ARGV[11], 'ended', text(now), 'lease', '0', 'holder', '')
  note(k.log, 'failed', version, ARGV[4], is)
  owe(k, j[6], ARGV[2], j[5], j[7], text(now), 'failed', version)
  local reply = answer(k.job, ARGV[1], 'resolved failed ' .. version .. ' ' .. text(now))
  finish(k, now, retention, ARGV[2], j[5], ARGV[14])
  return reply
end
note(k.log, 'queued', version, ARGV[4], is)
call('HSET', k.job, 'state', 'queued', 'version', version, 'lease', '0', 'holder', '')
if budget then call('HSET', k.job, 'deadline', text(now + budget)) end
call('ZREM', k.open, ARGV[2])
call('ZADD', k.due, text(now), ARGV[2])
return answer(k.job, ARGV[1], 'resolved queued ' .. version .. ' ' .. text(now))

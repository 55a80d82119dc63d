#!lua flags=allow-oom
-- claim.lua takes a job whose holder is gone, or which nobody holds. The new
-- epoch fences the old holder out. An attempt that the old holder left
-- starting or running turns unknown: it may have been sent (R10).
-- KEYS     1 job  2 due  3 open  4 idem  5 ended  6 outbox  7 owed  8 log  9… attempts 1…N
-- ARGV     1 op token  2 id  3 N, the attempts the caller knows of  4 lease ms  5 holder  6 most claims without progress
--          7 failure for the orphaned attempt (opaque)  8 error for a quarantined job (opaque)  9 retention ms  10 channel
-- job      queued | running | unknown -> the same, or unknown; failed when quarantined
-- attempt  starting | running -> unknown
-- reply    claimed <epoch> <now> | orphaned <epoch> <now> | held <lease> | quarantined | ended | missing | moved <attempts>
local now = clock()
local n, lease, most, retention = int(3), int(4), int(6), span(9)
local k = ending_keys(n)
local again = replay(k.job, ARGV[1])
if again then return again end
local j = fields(k.job, 'state', 'lease', 'attempts', 'epoch', 'claims', 'open', 'owner', 'version', 'callback', 'contract')
if not j[1] then return 'missing' end
if not live(j[1]) then return 'ended' end
if tonumber(j[2]) > now then return 'held ' .. j[2] end
if tonumber(j[3]) ~= n then return 'moved ' .. j[3] end
local last = n > 0 and call('HGET', k.attempts[n], 'state') or false
-- Guards end here. Below this line nothing refuses.
if tonumber(j[5]) >= most then
  if tonumber(j[6]) == 0 then
    local version = text(tonumber(j[8]) + 1)
    call('HSET', k.job, 'state', 'failed', 'error', ARGV[8], 'ended', text(now), 'version', version, 'lease', '0', 'holder', '')
    note(k.log, 'failed', version)
    owe(k, j[9], ARGV[2], j[7], j[10], text(now), 'failed', version)
    local reply = answer(k.job, ARGV[1], 'quarantined')
    finish(k, now, retention, ARGV[2], j[7], ARGV[10])
    return reply
  end
  if last ~= 'starting' and last ~= 'running' then
    -- Nothing may start and nobody gets anywhere: leave it to an operator, in the queue of unknown jobs.
    call('ZREM', k.due, ARGV[2])
    return answer(k.job, ARGV[1], 'quarantined')
  end
end
local epoch = text(tonumber(j[4]) + 1)
call('HSET', k.job, 'epoch', epoch, 'lease', text(now + lease), 'holder', ARGV[5], 'claims', text(tonumber(j[5]) + 1))
call('ZADD', k.due, text(now + lease), ARGV[2])
if last == 'starting' or last == 'running' then
  call('HSET', k.attempts[n], 'state', 'unknown', 'unknown_since', text(now), 'failure', ARGV[7])
  call('HSET', k.job, 'state', 'unknown')
  call('ZADD', k.open, text(now), ARGV[2])
  note(k.log, 'unknown', j[8], ARGV[3], 'unknown')
  owe(k, j[9], ARGV[2], j[7], j[10], text(now), 'unknown', j[8], 'u' .. ARGV[3])
  call('PUBLISH', ARGV[10], ARGV[2])
  return answer(k.job, ARGV[1], 'orphaned ' .. epoch .. ' ' .. text(now))
end
return answer(k.job, ARGV[1], 'claimed ' .. epoch .. ' ' .. text(now))

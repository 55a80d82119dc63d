#!lua flags=allow-oom
-- settle.lua ends an attempt, or turns it unknown, and ends its job when it won (R13) or when nothing is left to try.
-- KEYS     1 job  2 due  3 open  4 idem  5 ended  6 outbox  7 owed  8 log  9… attempts 1…N
-- ARGV     1 op token  2 id  3 N, the attempts the caller knows of  4 number  5 epoch  6 version read at begin
--          7 outcome: succeeded | failed | unknown  8 result or failure (opaque)  9 after a failure: queue | fail
--          10 error of the job when it fails (opaque)  11 note kept of a discarded result (opaque)  12 retention ms  13 channel
--          14 micro-USD that the attempt cost for certain, '' if nobody knows  15 the most that it can have cost, '' for no idea
-- attempt  starting | running | unknown -> succeeded | failed | unknown | discarded
-- job      running | unknown -> succeeded | queued | unknown | failed
-- reply    won <version> <now>           the result is written and the job has succeeded, by this call or an earlier one
--          lost <now>                    another outcome stands; of this result only the note is kept
--          recorded <job state> <version> <now>
--          stale | missing | moved <attempts>
--
-- An answer for an attempt that is unknown is welcome whoever brings it: epochs
-- fence those who drive a job, the compare-and-swap fences results.
local now, stamp = clock()
local known, n, retention = int(3), int(4), span(12)
local outcome = ARGV[7]
if outcome ~= 'succeeded' and outcome ~= 'failed' and outcome ~= 'unknown' then error('ARGV 7 is no outcome') end
if ARGV[9] ~= 'queue' and ARGV[9] ~= 'fail' then error('ARGV 9 is neither queue nor fail') end
if ARGV[14] ~= '' then int(14) elseif ARGV[15] ~= '' then int(15) end
local k = ending_keys(known)
local again = replay(k.job, ARGV[1])
if again then return again end
local j = fields(k.job, 'state', 'epoch', 'version', 'completed_by', 'attempts', 'open', 'owner', 'holder', 'lease', 'callback', 'contract')
if not j[1] then return 'missing' end
if tonumber(j[5]) ~= known then return 'moved ' .. j[5] end
local attempt = k.attempts[n]
local a = attempt and fields(attempt, 'state', 'version', 'certain') or {}
local state = a[1]
if not state then return 'missing' end
-- What the caller read at begin is written in the attempt. Another version is a mistake, not a lost race.
if a[2] ~= ARGV[6] then return 'stale' end
-- The end of the job took its holder away, but an attempt that was open beside the winner still has its say.
local current = j[2] == ARGV[5] and (j[8] ~= '' or not live(j[1]))
if (state == 'starting' or state == 'running') and not current then return 'stale' end
if not open(state) and outcome ~= 'succeeded' then return 'stale' end
local won = state == 'succeeded' and j[4] == ARGV[4] and fields(k.job, 'result', 'ended') or {}
-- Guards end here. Below this line nothing refuses.
-- An attempt is charged once: what is certain takes the place of what was possible, and stays.
if not a[3] and ARGV[14] ~= '' then
  call('HSET', attempt, 'certain', ARGV[14])
  call('HDEL', attempt, 'possible')
elseif not a[3] and ARGV[15] ~= '' and not (outcome == 'unknown' and state == 'unknown') then
  call('HSET', attempt, 'possible', ARGV[15])
end
local left = tonumber(j[6]) - 1
if outcome == 'succeeded' then
  if won[1] == ARGV[8] then return answer(k.job, ARGV[1], 'won ' .. j[3] .. ' ' .. won[2]) end
  if not open(state) then
    call('HSET', attempt, 'late', ARGV[11])
    return answer(k.job, ARGV[1], 'lost ' .. stamp)
  end
  if j[3] ~= ARGV[6] or j[4] or not live(j[1]) then
    call('HSET', attempt, 'state', 'discarded', 'ended', stamp, 'late', ARGV[11])
    call('HSET', k.job, 'open', text(left))
    note(k.log, j[1], j[3], ARGV[4], 'discarded')
    return answer(k.job, ARGV[1], 'lost ' .. stamp)
  end
  local version = text(tonumber(j[3]) + 1)
  local reply = 'won ' .. version .. ' ' .. stamp
  call('HSET', attempt, 'state', 'succeeded', 'ended', stamp)
  -- The way of every untroubled inference: the reply goes in with the rest.
  call('HSET', k.job, 'state', 'succeeded', 'completed_by', ARGV[4], 'version', version, 'result', ARGV[8],
    'ended', stamp, 'open', text(left), 'lease', '0', 'holder', '', 'op:' .. ARGV[1], reply)
  note(k.log, 'succeeded', version, ARGV[4], 'succeeded')
  owe(k, j[10], ARGV[2], j[7], j[11], stamp, 'succeeded', version)
  finish(k, now, retention, ARGV[2], j[7], ARGV[13])
  return reply
end
if outcome == 'unknown' then
  if state ~= 'unknown' then
    call('HSET', attempt, 'state', 'unknown', 'unknown_since', stamp, 'failure', ARGV[8])
    if live(j[1]) then
      call('HSET', k.job, 'state', 'unknown')
      call('ZADD', k.open, stamp, ARGV[2])
      owe(k, j[10], ARGV[2], j[7], j[11], stamp, 'unknown', j[3], 'u' .. ARGV[4])
      call('PUBLISH', ARGV[13], ARGV[2])
      j[1] = 'unknown'
    end
    note(k.log, j[1], j[3], ARGV[4], 'unknown')
  end
  return answer(k.job, ARGV[1], 'recorded ' .. j[1] .. ' ' .. j[3] .. ' ' .. stamp)
end
call('HSET', attempt, 'state', 'failed', 'ended', stamp, 'failure', ARGV[8])
call('HSET', k.job, 'open', text(left), 'claims', '0')
local after, version = j[1], j[3]
if live(j[1]) and left > 0 then
  -- Only the newest attempt can be starting or running, so what is left beside it is unknown.
  if n == known then
    after = 'unknown'
    call('ZADD', k.open, 'NX', stamp, ARGV[2]) -- it may be there already, and longer
    call('PUBLISH', ARGV[13], ARGV[2])
  end
  call('HSET', k.job, 'state', after)
elseif live(j[1]) and ARGV[9] == 'fail' then
  after, version = 'failed', text(tonumber(version) + 1)
  call('HSET', k.job, 'state', after, 'version', version, 'error', ARGV[10], 'ended', stamp, 'lease', '0', 'holder', '')
  note(k.log, after, version, ARGV[4], 'failed')
  owe(k, j[10], ARGV[2], j[7], j[11], stamp, after, version)
  local reply = answer(k.job, ARGV[1], 'recorded ' .. after .. ' ' .. version .. ' ' .. stamp)
  finish(k, now, retention, ARGV[2], j[7], ARGV[13])
  return reply
elseif live(j[1]) then
  after = 'queued'
  call('HSET', k.job, 'state', after)
  call('ZREM', k.open, ARGV[2])
  local alarm = j[9] -- the quarantine of an unknown job took its alarm away
  if not current then
    -- The one who drives the job is somebody else, or nobody: let it be looked at now.
    alarm = stamp
    call('HSET', k.job, 'lease', '0', 'holder', '')
  end
  call('ZADD', k.due, alarm, ARGV[2])
end
note(k.log, after, version, ARGV[4], 'failed')
return answer(k.job, ARGV[1], 'recorded ' .. after .. ' ' .. version .. ' ' .. stamp)

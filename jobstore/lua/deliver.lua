#!lua flags=allow-oom
-- deliver.lua moves an event that is owed to an app: somebody takes it to deliver
-- it, and says what came of that.
-- KEYS     1 outbox  2 dead letters  3 owed
-- ARGV     1 token of the taking (new and random: it is the op token too)  2 job id  3 event id
--          4 move: take | done | retry | dead | again
--          5 take: how long it is held, retry: the delay, otherwise how long an event without debt is kept (ms)
--          6 what came of the try (opaque), '' with take and again
-- event    due -> taken -> delivered | due again | dead; dead or delivered -> due again
-- reply    taken <tries> | early <ms> | recorded | queued | pending | stale | missing
--
-- Delivery is at least once: a taking that nobody answers for lapses, and the
-- event is due again. The token keeps a late word of the one before from ending it.
local now, stamp = clock()
local span_ms = int(5)
local event, move, did = ARGV[3], ARGV[4], ARGV[1] .. ' ' .. ARGV[4]
if not string.match(event, '^evt_[0-9a-z_]+$') then error('ARGV 3 is no event') end
zsets(KEYS[1], KEYS[2])
local e = fields(KEYS[3], event, event .. ':token', event .. ':did', event .. ':tries', event .. ':end', 'pending')
local member = ARGV[2] .. ' ' .. event
local due = call('ZSCORE', KEYS[1], member)
if not e[1] then return 'missing' end
local tries = tonumber(e[4] or '0')
if move == 'take' then
  if e[2] == ARGV[1] then return 'taken ' .. text(tries) end
  if not due then return 'missing' end
  if tonumber(due) > now then return 'early ' .. text(tonumber(due) - now) end
  if span_ms < 1 then error('ARGV 5 is no time to hold anything') end
  call('HSET', KEYS[3], event .. ':token', ARGV[1], event .. ':tries', text(tries + 1))
  call('ZADD', KEYS[1], text(now + span_ms), member)
  return 'taken ' .. text(tries + 1)
end
if move == 'again' then
  if due then return 'pending' end
  if span_ms < 1 then error('ARGV 5 is no time to keep anything') end
  call('HDEL', KEYS[3], event .. ':end', event .. ':token', event .. ':did')
  call('HSET', KEYS[3], event .. ':tries', '0')
  call('HINCRBY', KEYS[3], 'pending', '1')
  call('PERSIST', KEYS[3])
  call('ZREM', KEYS[2], member)
  call('ZADD', KEYS[1], stamp, member)
  return 'queued'
end
if move ~= 'done' and move ~= 'retry' and move ~= 'dead' then error('ARGV 4 is no move') end
if e[3] == did then return 'recorded' end
if e[2] ~= ARGV[1] or not due then return 'stale' end
if span_ms < (move == 'retry' and 0 or 1) then error('ARGV 5 is no time') end
-- Guards end here. Below this line nothing refuses.
call('HSET', KEYS[3], event .. ':did', did, event .. ':try:' .. text(tries), stamp .. ' ' .. ARGV[6])
call('HDEL', KEYS[3], event .. ':token')
if move == 'retry' then
  call('ZADD', KEYS[1], text(now + span_ms), member)
  return 'recorded'
end
call('HSET', KEYS[3], event .. ':end', move .. ' ' .. stamp)
call('ZREM', KEYS[1], member)
if move == 'dead' then call('ZADD', KEYS[2], stamp, member) end
if call('HINCRBY', KEYS[3], 'pending', '-1') <= 0 then call('PEXPIRE', KEYS[3], text(span_ms)) end
return 'recorded'

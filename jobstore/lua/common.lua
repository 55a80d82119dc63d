-- common.lua stands before every script. It holds what more than one move
-- needs; each move is a file of its own.
--
-- Rules that every script keeps:
--   all keys are declared, and lie in one slot
--   every guard, and every read that could meet a wrong type, comes before the
--   first write, because Redis does not roll a script back
--   a reply is one string: a word, then numbers, separated by spaces
--   a call is known by its op token; the same call again answers the same
local call = redis.call

local function text(n) return string.format('%.0f', n) end

-- Milliseconds of the server's clock, as a number and as text. Read once per
-- script: before Redis 7.2 two readings inside one script may differ.
local function clock()
  local t = call('TIME')
  local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
  return now, text(now)
end

-- Whole decimal numbers, small enough to stay exact after a sum. Lua itself
-- would also take 'inf', '0x10' and 1e300, and Redis would refuse them half-way.
local function int(i)
  local s = ARGV[i]
  if not s or #s > 15 or not string.match(s, '^%-?%d+$') then error('ARGV ' .. i .. ' is not an integer') end
  return tonumber(s)
end

-- A time for which something is kept: with none left it would be gone at once.
local function span(i)
  local n = int(i)
  if n < 1 then error('ARGV ' .. i .. ' is no time to keep anything') end
  return n
end

-- Touch keys that are written later, so that a wrong type errs here.
local function hashes(...) for _, k in ipairs({...}) do call('HLEN', k) end end
local function zsets(...) for _, k in ipairs({...}) do call('ZCARD', k) end end

local function live(state) return state == 'queued' or state == 'running' or state == 'unknown' end
local function open(state) return state == 'starting' or state == 'running' or state == 'unknown' end

local function fields(key, ...)
  local out = call('HMGET', key, ...)
  for i, v in ipairs(out) do if v == false then out[i] = nil end end
  return out
end

-- A move leaves its reply under its op token in the job, so that the same call
-- sent again, now or much later, answers the same and changes nothing.
local function replay(job, op) return call('HGET', job, 'op:' .. op) end
local function answer(job, op, reply)
  call('HSET', job, 'op:' .. op, reply)
  return reply
end

-- note writes down, for who follows the job, what it and one attempt are now.
-- state is the job's; n and is are the attempt's, where one is concerned. A job
-- that gathers more entries than anybody can follow loses its oldest. Only submit
-- begins the log: what comes for a job that is gone begins none.
local function note(log, state, version, n, is)
  if n then
    call('XADD', log, 'NOMKSTREAM', 'MAXLEN', '256', '*', 'job', state, 'version', version, 'attempt', n, 'is', is)
  else
    call('XADD', log, 'NOMKSTREAM', 'MAXLEN', '256', '*', 'job', state, 'version', version)
  end
end

-- owe puts an event in the outbox for a job that wants to be called back. It is
-- part of the move that owes it, so that no outcome is without its event. mark
-- tells events of one version apart.
local function owe(k, callback, id, owner, contract, stamp, state, version, mark)
  if not callback or callback == '' then return end
  local event = 'evt_' .. string.sub(id, 5) .. '_' .. version .. (mark or '')
  call('ZADD', k.outbox, stamp, id .. ' ' .. event)
  call('HSET', k.owed, 'url', callback, 'owner', owner, 'contract', contract, event, state .. ' ' .. version .. ' ' .. stamp)
  call('HINCRBY', k.owed, 'pending', '1')
  call('PERSIST', k.owed)
end

-- finish ends a job: the caller has set state and result. Retention begins
-- here, never at creation: a live record has no time to live.
-- k: job, due, open, idem, ended, log and the list of attempt keys.
local function finish(k, now, retention, id, owner, channel)
  local gone = text(now + retention)
  call('ZREM', k.due, id)
  call('ZREM', k.open, id)
  call('ZADD', k.ended, gone, id .. ' ' .. owner)
  call('PEXPIREAT', k.job, gone)
  call('PEXPIREAT', k.idem, gone)
  call('PEXPIREAT', k.log, gone)
  for _, a in ipairs(k.attempts) do call('PEXPIREAT', a, gone) end
  call('PUBLISH', channel, id)
end

-- The keys of the moves that may end a job: 1 job 2 due 3 open 4 idem 5 ended 6 outbox 7 owed 8 log 9… attempts 1…
local function ending_keys(known)
  if #KEYS - 8 ~= known then error('ARGV 3 does not count the attempts in KEYS') end
  local k = {job = KEYS[1], due = KEYS[2], open = KEYS[3], idem = KEYS[4], ended = KEYS[5], outbox = KEYS[6], owed = KEYS[7], log = KEYS[8], attempts = {}}
  for i = 9, #KEYS do k.attempts[i - 8] = KEYS[i] end
  hashes(k.job, k.owed, unpack(k.attempts))
  zsets(k.due, k.open, k.ended, k.outbox)
  call('XLEN', k.log)
  call('STRLEN', k.idem)
  return k
end

#!lua
-- submit.lua writes a job under its key, and may begin its first attempt in the same step.
-- KEYS   1 idem  2 job  3 attempt 1  4 due  5 owner index
-- ARGV   1 id (new and random: it is also this call's op token)  2 fingerprint  3 lease ms  4 budget ms
--        5 send window ms, '' to queue the job without an attempt  6 owner  7 key  8 contract  9 digest
--        10 route  11 holder  12 target  13 provider  14 model  15 intent (opaque bytes)
--        16 name of the key, '' where there is only one
-- job    (none) -> running | queued
-- reply  created <now>  the job is this call's, also when the call is repeated
--        exists <id>    the key is taken by the same intent
--        reused <id>    the key is taken by another intent
local now, stamp = clock()
local lease, budget = int(3), int(4)
local begin = ARGV[5] ~= ''
local window = begin and int(5) or 0
if not string.match(ARGV[2], '^%S+$') then error('ARGV 2 is no fingerprint') end
local size = call('HLEN', KEYS[2])
hashes(KEYS[3])
zsets(KEYS[4], KEYS[5])
local seen = call('GET', KEYS[1])
if seen then
  local id, print = string.match(seen, '^(%S+) (%S+)$')
  if id == ARGV[1] then return 'created ' .. (call('HGET', KEYS[2], 'created') or '0') end
  if print ~= ARGV[2] then return 'reused ' .. id end
  return 'exists ' .. id
end
if size > 0 then error('job id is taken') end
-- Guards end here. Below this line nothing refuses.
if not call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX') then error('unreachable: the key was free above') end
local state, one, holder, ends, look = 'queued', '0', '', '0', stamp
if begin then
  state, one, holder, ends = 'running', '1', ARGV[11], text(now + lease)
  look = ends
end
call('HSET', KEYS[2],
  'schema', '1', 'id', ARGV[1], 'fingerprint', ARGV[2], 'owner', ARGV[6], 'key', ARGV[7],
  'contract', ARGV[8], 'digest', ARGV[9], 'route', ARGV[10], 'intent', ARGV[15],
  'state', state, 'version', '1', 'epoch', one, 'claims', '0', 'attempts', one, 'open', one,
  'created', stamp, 'deadline', text(now + budget), 'budget', ARGV[4], 'lease', ends, 'holder', holder)
if begin then
  call('HSET', KEYS[3], 'number', '1', 'state', 'starting', 'target', ARGV[12], 'provider', ARGV[13], 'model', ARGV[14],
    'version', '1', 'epoch', '1', 'started', stamp, 'send_by', text(now + window))
  if ARGV[16] ~= '' then call('HSET', KEYS[3], 'key', ARGV[16]) end
end
call('ZADD', KEYS[4], look, ARGV[1])
call('ZADD', KEYS[5], stamp, ARGV[1])
return 'created ' .. stamp

#!lua
-- begin.lua writes the next attempt, before anything leaves for a provider (R5).
-- KEYS     1 job  2 due  3 open  4 the attempt before, or the new one when it is the first  5 the new attempt
-- ARGV     1 op token  2 id  3 epoch  4 number  5 race: '1' lets it start beside unknown attempts (R15)
--          6 lease ms  7 send window ms  8 target  9 provider  10 model  11 most attempts
--          12 name of the key, '' where there is only one
-- job      queued | unknown (race) -> running
-- attempt  (none) -> starting
-- reply    begun <version> <now> | blocked <attempt> | limit | ended | stale | missing | moved <attempts>
local now = clock()
local n, lease, window, most = int(4), int(6), int(7), int(11)
hashes(KEYS[1], KEYS[4], KEYS[5])
zsets(KEYS[2], KEYS[3])
local again = replay(KEYS[1], ARGV[1])
if again then return again end
local j = fields(KEYS[1], 'state', 'epoch', 'holder', 'attempts', 'open', 'version')
if not j[1] then return 'missing' end
if not live(j[1]) then return 'ended' end
if j[2] ~= ARGV[3] or j[3] == '' then return 'stale' end
if tonumber(j[4]) ~= n - 1 then return 'moved ' .. j[4] end
if tonumber(j[5]) > 0 then
  local last = call('HGET', KEYS[4], 'state')
  if ARGV[5] ~= '1' or last == 'starting' or last == 'running' then return 'blocked ' .. j[4] end
end
if n > most then return 'limit' end
-- Guards end here. Below this line nothing refuses.
call('HSET', KEYS[5], 'number', ARGV[4], 'state', 'starting', 'target', ARGV[8], 'provider', ARGV[9], 'model', ARGV[10],
  'version', j[6], 'epoch', ARGV[3], 'started', text(now), 'send_by', text(now + window))
if ARGV[12] ~= '' then call('HSET', KEYS[5], 'key', ARGV[12]) end
call('HSET', KEYS[1], 'state', 'running', 'attempts', ARGV[4], 'open', text(tonumber(j[5]) + 1), 'claims', '0', 'lease', text(now + lease))
call('ZADD', KEYS[2], text(now + lease), ARGV[2])
call('ZREM', KEYS[3], ARGV[2])
return answer(KEYS[1], ARGV[1], 'begun ' .. j[6] .. ' ' .. text(now))

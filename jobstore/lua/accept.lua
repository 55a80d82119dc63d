#!lua flags=allow-oom
-- accept.lua records that the provider has shown that it has the request.
-- KEYS     1 job  2 attempt  3 log
-- ARGV     1 op token  2 the provider's reference, '' if it gave none
-- attempt  starting -> running; running and unknown keep their state and gain the reference
-- reply    accepted | ended | missing
hashes(KEYS[1], KEYS[2])
call('XLEN', KEYS[3])
local again = replay(KEYS[1], ARGV[1])
if again then return again end
local state = call('HGET', KEYS[2], 'state')
local j, n = fields(KEYS[1], 'state', 'version'), call('HGET', KEYS[2], 'number')
if not state or not j[1] then return 'missing' end
if not open(state) then return 'ended' end
-- Guards end here. Below this line nothing refuses.
if state == 'starting' then
  call('HSET', KEYS[2], 'state', 'running')
  note(KEYS[3], j[1], j[2], n, 'running')
end
if ARGV[2] ~= '' then call('HSET', KEYS[2], 'reference', ARGV[2]) end
return answer(KEYS[1], ARGV[1], 'accepted')

#!lua flags=allow-oom
-- slot.lua gives a call its turn at a target that is paced: no two calls of any router have the same. It moves no job.
-- KEYS   1 rests (hash)
-- ARGV   1 name  2 longest wait in ms
-- reply  free              the target is not paced
--        slot <wait> <cut>  the turn is that many ms away
--        full <wait>        the next turn is later than the caller can wait; it was not taken
-- A call whose reply is lost is made again, and costs a turn that nobody uses.
local now = clock()
local most = int(2)
hashes(KEYS[1])
local r = paces(call('HGET', KEYS[1], ARGV[1]), now)
if not r or r.rate == 0 then return 'free' end
local at = math.max(r.tat, r.until_, now)
local wait = text(math.ceil(at - now))
if at - now > most then return 'full ' .. wait end
-- Guards end here. Below this line nothing refuses.
r.tat, r.given = at + 1e6 / rate_at(r, at), r.given + 1
call('HSET', KEYS[1], ARGV[1], paces_text(r))
return 'slot ' .. wait .. ' ' .. text(r.cut)

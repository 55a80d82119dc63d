#!lua flags=allow-oom
-- rest.lua has a target rest after a refusal, for all routers, and keeps the later of two ends. It moves no job.
-- KEYS   1 rests (hash)
-- ARGV   1 name  2 ms to rest  3 ms since the refused call began  4 ms after the rest for which calls are paced; 0: not at all
-- reply  rest <now> <until> <ends> <cut>
-- The same call again, within the rest, lowers the pace no further.
local now = clock()
local wait, began, paced = int(2), now - int(3), int(4)
hashes(KEYS[1])
local r = paces(call('HGET', KEYS[1], ARGV[1]), now)
local left = call('PTTL', KEYS[1])
-- Guards end here. Below this line nothing refuses.
local fresh = not r
r = r or {until_ = 0, ends = 0, cut = 0, rate = 0, ceiling = 0, tat = 0, given = 0}
-- Refusals that come during a rest, or of calls that began before the last cut, say nothing new about the pace.
if paced > 0 and (r.rate == 0 or began >= r.cut and now >= r.until_) then
  if fresh or r.rate == 0 then
    r.rate = 1000
  else
    local used = rate_at(r, now)
    -- With slots left over, the pace was not what held calls back: what was used is the better measure.
    if r.tat <= now then used = math.min(used, math.max(1000, 2e6 * r.given / math.max(1000, now - r.until_))) end
    -- One cut at most halves the pace: a router that did not know of it yet had calls under way that took no turn.
    r.ceiling = math.max(0.8 * used, 0.5 * r.ceiling)
    r.rate = math.max(100, 0.5 * r.ceiling)
  end
  r.cut, r.given, r.tat = now, 0, now + wait
  r.until_ = now + wait
end
r.until_ = math.max(r.until_, now + wait)
r.tat = math.max(r.tat, r.until_)
r.ends = math.max(r.ends, r.until_ + paced)
call('HSET', KEYS[1], ARGV[1], paces_text(r))
if left < r.ends - now then call('PEXPIREAT', KEYS[1], text(r.ends)) end
return 'rest ' .. text(now) .. ' ' .. text(r.until_) .. ' ' .. text(r.ends) .. ' ' .. text(r.cut)

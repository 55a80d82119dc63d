#!lua flags=no-writes
-- rests.lua reads who rests and who is paced, as of one moment.
-- KEYS   1 rests (hash)
-- reply  rests <now> [<name> <until> <ends> <cut>]…
local now = clock()
local all = call('HGETALL', KEYS[1])
local reply = 'rests ' .. text(now)
for i = 1, #all, 2 do
  local r = paces(all[i + 1], now)
  if r then reply = reply .. ' ' .. all[i] .. ' ' .. text(r.until_) .. ' ' .. text(r.ends) .. ' ' .. text(r.cut) end
end
return reply

#!lua
-- drift.lua adds what live answers were worth to a pair's window and counts it. It moves no job.
-- KEYS   1 window (string: newest first, separated by spaces)  2 this call's reply
-- ARGV   1 most entries in the window  2 ms that the window is kept after its newest entry  3… check ids that failed, '-' for none, oldest first
-- reply  window <entries> <failed> <failed in a row, newest> [<check> <count>]…
local most, kept = span(1), span(2)
for i = 3, #ARGV do
  if not string.match(ARGV[i], '^[A-Z][A-Z]*%-%d+$') and ARGV[i] ~= '-' then error('ARGV ' .. i .. ' is no check id') end
end
local old = call('GET', KEYS[1]) or ''
local again = call('GET', KEYS[2])
if again then return again end
-- Guards end here. Below this line nothing refuses.
local window = {}
for i = #ARGV, 3, -1 do if #window < most then window[#window + 1] = ARGV[i] end end
for check in string.gmatch(old, '%S+') do if #window < most then window[#window + 1] = check end end
call('SET', KEYS[1], table.concat(window, ' '), 'PX', text(kept))
local failed, row, broken, counts, order = 0, 0, false, {}, {}
for _, check in ipairs(window) do
  if check == '-' then
    broken = true
  else
    failed = failed + 1
    if not broken then row = row + 1 end
    if not counts[check] then counts[check] = 0; order[#order + 1] = check end
    counts[check] = counts[check] + 1
  end
end
local reply = 'window ' .. text(#window) .. ' ' .. text(failed) .. ' ' .. text(row)
for _, check in ipairs(order) do reply = reply .. ' ' .. check .. ' ' .. text(counts[check]) end
-- A copy of the call can be as late as the wait for a reply, not more.
call('SET', KEYS[2], reply, 'PX', '60000')
return reply

#!lua
-- eligibility.lua changes who may serve a contract, by compare-and-swap, and writes the audit entry in the same step.
-- KEYS   1 records (hash)  2 audit (stream)  3 head of the audit chain  4 what live traffic showed  5 this call's reply
-- ARGV   1 field  2 version the caller saw, '0' for none  3 the new record (opaque)  4 audit entry (opaque)  5 most audit entries
--        6 head that the entry follows, '' for none  7 head after it  8 '1' to forget what live traffic showed
-- reply  changed <version> | conflict <version> | moved <head>
-- A record is stored as its version, a line feed, and the record itself. The entry holds the hash of the one before it, so
-- that it fits at one place only; who lost the race for that place makes it anew. Trimming takes the oldest entries and
-- leaves the head alone.
local most = int(5)
local seen = int(2)
local forget = int(8)
hashes(KEYS[1])
call('XLEN', KEYS[2])
local head = call('GET', KEYS[3]) or ''
call('STRLEN', KEYS[4])
local again = call('GET', KEYS[5])
if again then return again end
local record = call('HGET', KEYS[1], ARGV[1])
local version = record and tonumber(string.match(record, '^(%d+)\n')) or 0
if version ~= seen then return 'conflict ' .. text(version) end
if head ~= ARGV[6] then return 'moved ' .. head end
-- Guards end here. Below this line nothing refuses.
local reply = 'changed ' .. text(version + 1)
call('HSET', KEYS[1], ARGV[1], text(version + 1) .. '\n' .. ARGV[3])
call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[5], '*', 'entry', ARGV[4])
call('SET', KEYS[3], ARGV[7])
if forget == 1 then call('DEL', KEYS[4]) end
call('SET', KEYS[5], reply, 'PX', '86400000')
return reply

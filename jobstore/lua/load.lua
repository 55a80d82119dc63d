#!lua flags=no-writes
-- load.lua reads a job and its attempts as of one moment.
-- KEYS   1 job  2… attempts 1… (as many as a job may have)
-- reply  {fields of the job, fields of attempt 1, …}; empty when there is no such job
local job = redis.call('HGETALL', KEYS[1])
if #job == 0 then return {} end
local out = {job}
local n = tonumber(redis.call('HGET', KEYS[1], 'attempts'))
for i = 1, n do out[i + 1] = redis.call('HGETALL', KEYS[i + 1]) end
return out

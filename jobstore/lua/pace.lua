-- pace.lua stands before the scripts that know about rests, after common.lua.
--
-- A record is one line of numbers: when the rest ends, when the record is void,
-- when the pace was last cut, calls per 1000 s at the end of the rest, the same
-- at which growing turns careful (0: never yet), the time of the next free
-- turn, and how many turns were given since the rest.
local function paces(line, now)
  local n = {}
  for v in string.gmatch(line or '', '%S+') do n[#n + 1] = tonumber(v) end
  if #n ~= 7 or n[2] <= now then return nil end
  return {until_ = n[1], ends = n[2], cut = n[3], rate = n[4], ceiling = n[5], tat = n[6], given = n[7]}
end

local function paces_text(r)
  return string.format('%.0f %.0f %.0f %.3f %.3f %.3f %.0f', r.until_, r.ends, r.cut, r.rate, r.ceiling, r.tat, r.given)
end

-- The pace begins low after a rest and doubles every second, up to four fifths of what was last too fast. From there it
-- grows by a tenth every second.
local function rate_at(r, at)
  local s = math.max(0, at - r.until_) / 1000
  local rate = r.rate * 2 ^ math.min(s, 30)
  if r.ceiling > 0 and rate > r.ceiling then
    local reached = math.log(math.max(1, r.ceiling / r.rate)) / math.log(2)
    rate = math.max(r.ceiling, r.rate) * (1 + 0.1 * math.max(0, s - reached))
  end
  return math.min(rate, 1e8)
end

--[[
  The bucket of one lane, and the memory that its processes share. Called with one key, so that it runs on a
  Cluster too. All times are ms by the server's own clock, with microseconds as decimals.

  KEYS[1]  hash of a bucket: rate, burst, next, rest; of a memory: version, value
  ARGV[1]  the verb

  take   want, horizon, rate, burst   -> {wait in us, delay in us of each token granted ...}
  pace   rate, burst                  -> 1
  rest   ms                           -> 1
  wake                                -> 1
  read                                -> {rate, burst, rest in us, wait in us} as text, or nothing
  write  version, value               -> 1 when the version was the stored one, else 0

  next is when the next token may be used if the burst is used up; the further it is in the past, the more of the
  burst has gathered. rest is the time before which no token may be used.
]]
local verb = ARGV[1]

if verb == 'write' then
  local stored = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
  if stored ~= tonumber(ARGV[2]) then return 0 end
  redis.call('HSET', KEYS[1], 'version', stored + 1, 'value', ARGV[3])
  return 1
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local held = redis.call('HMGET', KEYS[1], 'rate', 'burst', 'next', 'rest')
local rate, burst = tonumber(held[1]), tonumber(held[2])
local next, rest = tonumber(held[3]), tonumber(held[4]) or 0

local function text(number)
  return string.format('%.3f', number)
end

if verb == 'rest' then
  redis.call('HSET', KEYS[1], 'rest', text(math.max(rest, now + tonumber(ARGV[2]))))
  return 1
end

if verb == 'wake' then
  -- The rest ends now; it is not erased, because tokens must not gather during it and come out as a burst.
  if rest > now then redis.call('HSET', KEYS[1], 'rest', text(now)) end
  return 1
end

if verb == 'read' then
  if not rate then return false end
  local free = math.max(now, next, rest)
  return { tostring(rate), tostring(burst), text((math.max(rest, now) - now) * 1000), text((free - now) * 1000) }
end

if verb == 'pace' then
  local newRate, newBurst = tonumber(ARGV[2]), tonumber(ARGV[3])
  local newGap = 1000 / newRate
  if not rate then
    next = now + newGap
  else
    local gap = 1000 / rate
    local base = next
    if rest <= now then base = math.max(base, rest) end
    if base <= now then
      -- Gathered tokens are kept as tokens, not as time, which another rate would multiply.
      next = now - math.min((now - base) / gap, burst - 1, newBurst - 1) * newGap
    elseif base - now <= gap then
      next = now + (base - now) / gap * newGap
    else
      -- Tokens up to base - gap are already granted.
      next = base - gap + newGap
    end
  end
  redis.call('HSET', KEYS[1], 'rate', ARGV[2], 'burst', ARGV[3], 'next', text(next))
  return 1
end

local want, horizon = tonumber(ARGV[2]), tonumber(ARGV[3])
if not rate then
  -- A new lane, or one that lost its state: start as if it had just been used.
  rate, burst = tonumber(ARGV[4]), tonumber(ARGV[5])
  next = now + 1000 / rate
  redis.call('HSET', KEYS[1], 'rate', ARGV[4], 'burst', ARGV[5], 'next', text(next))
end

local gap = 1000 / rate
local tolerance = (burst - 1) * gap
local free = math.max(next, rest)
local granted = { 0 }
for _ = 1, want do
  local at = math.max(now, free)
  if at - now > horizon then break end
  granted[#granted + 1] = math.floor((at - now) * 1000 + 0.5)
  free = math.max(free, at - tolerance) + gap
end
if #granted == 1 then
  granted[1] = math.ceil((math.max(now, free) - now) * 1000)
else
  redis.call('HSET', KEYS[1], 'next', text(free))
end
return granted

-- Numbers lanes in the order in which they are first seen.
-- KEYS: the hash of lanes and their numbers. ARGV: lanes.
-- Returns for each its number, and whether it is new.
local told = {}
for nth = 1, #ARGV do
  local number = redis.call('HGET', KEYS[1], ARGV[nth])
  local new = 0
  if not number then
    number = redis.call('HLEN', KEYS[1])
    redis.call('HSET', KEYS[1], ARGV[nth], number)
    new = 1
  end
  told[#told + 1] = tonumber(number)
  told[#told + 1] = new
end
return told

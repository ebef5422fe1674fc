-- The states of many jobs in one round trip. BullMQ's own script (getStateV2) tells one job's.
-- KEYS: for each queue its delayed, prioritized, active, wait and paused keys.
-- ARGV: for each queue how many ids are asked for, then the ids.
-- Returns a letter for each id, in their order: d delayed, a active, w waiting, n none.
local states = {}
local at = 1
for first = 1, #KEYS, 5 do
  local many = tonumber(ARGV[at])
  for nth = at + 1, at + many do
    local id = ARGV[nth]
    local state = 'n'
    if redis.call('ZSCORE', KEYS[first], id) then
      state = 'd'
    elseif redis.call('ZSCORE', KEYS[first + 1], id) then
      state = 'w'
    elseif redis.call('LPOS', KEYS[first + 2], id) then
      state = 'a'
    elseif redis.call('LPOS', KEYS[first + 3], id) or redis.call('LPOS', KEYS[first + 4], id) then
      state = 'w'
    end
    states[#states + 1] = state
  end
  at = at + many + 1
end
return table.concat(states)

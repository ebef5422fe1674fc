-- A plan may cross with the 402 of its lane, and a create that was under way then may come back unsent. Their jobs are
-- dropped, so they are parked with the rest; a probe stays planned. $1 lane
with lane as (
  -- The lane must not open meanwhile: its opening plans what is parked again.
  select l.id, l.reason, l.probe_attempt from carillon.lanes l
  where l.id = $1 and l.state = 'out_of_credit' for no key update
)
update carillon.attempts a set state = 'parked', detail = l.reason
from lane l where a.lane_id = l.id and a.state = 'planned' and a.id is distinct from l.probe_attempt
returning a.id

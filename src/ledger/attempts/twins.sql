-- One call of the service under several live attempts, which different processes placed: it is the first one's, even if
-- that was given up since, and of the others it is not known who was called. $1 service
with twins as (
  select a.id, a.call_id, row_number() over t as place, first_value(a.id) over t as owner
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  where l.base_url = $1 and a.call_id in (
    select x.call_id from carillon.attempts x where x.call_id is not null group by 1 having count(*) > 1)
  window t as (partition by a.call_id order by a.placed_at, a.id)
)
update carillon.attempts a set state = 'unknown', reason = 'mismatch', call_id = null, next_poll_at = null,
  detail = format('the service answered with the call %s, which is the attempt %s''s', t.call_id, t.owner)
from twins t where a.id = t.id and t.place > 1 and a.state = 'placed' and a.call_id = t.call_id
returning a.id

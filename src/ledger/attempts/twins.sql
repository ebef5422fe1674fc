-- One call of the service under several attempts, which different processes placed: it is the first one's, even if that
-- was given up or ended since, and of the others it is not known who was called. Without the last, one whose owner ended
-- would be followed to its deadline by the record of another person's call. $1 service
with twins as (
  select a.id, a.call_id, row_number() over t as place, first_value(a.id) over t as owner
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  where l.base_url = $1 and a.call_id in (
    select x.call_id from carillon.attempts x where x.call_id is not null group by 1 having count(*) > 1)
  window t as (partition by a.call_id order by a.placed_at, a.id)
), others as (
  select t.id, t.call_id, t.owner from twins t where t.place > 1
  union
  -- One by one by key: those that are over are many.
  select a.id, a.call_id, e.id
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  cross join lateral (
    select x.id from carillon.ended_attempts x join carillon.lanes o on o.id = x.lane_id
    where x.call_id = a.call_id and o.base_url = l.base_url limit 1
  ) e
  where l.base_url = $1 and a.state = 'placed'
), told as (
  select distinct on (o.id) o.id, o.call_id, o.owner from others o order by o.id, o.owner
)
update carillon.attempts a set state = 'unknown', reason = 'mismatch', call_id = null, next_poll_at = null,
  detail = format('the service answered with the call %s, which is the attempt %s''s', t.call_id, t.owner)
from told t where a.id = t.id and a.state = 'placed' and a.call_id = t.call_id
returning a.id

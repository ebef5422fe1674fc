-- A planned attempt that must not be dialled any more. $1 attempt, $2 why
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(array[$1::uuid], '{planned,parked}', 'dropped', $2, null) e
), people as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = $2, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

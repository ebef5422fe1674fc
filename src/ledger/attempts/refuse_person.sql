-- The service refused this person's data: rejected, with its own words. $1 attempt, $2 the words, $3 the
-- ticket of the admission (null: any)
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.id = $1 and ($3::uuid is null or a.ticket = $3)),
    '{dialing,unknown}', 'refused', 'person', $2) e
), people as (
  update carillon.recipients r set state = 'rejected', reason = $2, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

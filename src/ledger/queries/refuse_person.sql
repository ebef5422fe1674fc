-- The service refused this person's data: rejected, with its own words. $1 attempt, $2 the words, $3 the
-- ticket of the admission (null: any)
with moved as (
  update carillon.attempts a set state = 'refused', reason = 'person', detail = $2, ended_at = now()
  where a.id = $1 and a.state in ('dialing', 'unknown') and ($3::uuid is null or a.ticket = $3)
  returning a.id, a.recipient_id
), people as (
  update carillon.recipients r set state = 'rejected', reason = $2, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

-- The call was accepted but never ended within its deadline: shown to a person instead of asked for ever.
-- $1 attempt, $2 why, $3 the deadline that has passed: a new one may have been set since (null: any);
-- whoever read it has it without its microseconds
with moved as (
  update carillon.attempts a set state = 'unknown', reason = 'stale', detail = $2, next_poll_at = null
  where a.id = $1 and a.state = 'placed' and a.deadline_at < coalesce($3, a.deadline_at) + interval '2 ms'
  returning a.id, a.recipient_id
), people as (
  update carillon.recipients r set state = 'unknown', reason = $2, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

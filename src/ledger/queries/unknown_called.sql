-- A person says that the call was made, and no record of it can be fetched: done, without an outcome.
-- $1 attempt, $2 the person's reason
with moved as (
  update carillon.attempts a set state = 'done', reason = 'called', ended_at = now()
  where a.id = $1 and a.state = 'unknown'
  returning a.id, a.recipient_id
), noted as (
  insert into carillon.events (recipient_id, attempt_id, kind, detail)
  select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called', $2::text) from moved m
)
update carillon.recipients r
set state = 'done', reason = 'a person says that the call was made', updated_at = now()
from moved m where r.id = m.recipient_id
returning m.id

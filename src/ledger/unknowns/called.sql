-- A person says that the call was made, and no record of it can be fetched: done, without an outcome.
-- $1 attempt, $2 the person's reason
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(array[$1::uuid], '{unknown}', 'done', 'called', null) e
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.done', m.campaign_id, array[m.recipient_id], array[m.id] from moved m
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called', $2::text) from moved m
)
update carillon.recipients r
set state = 'done', attempts = r.attempts + 1, reason = 'a person says that the call was made', updated_at = now()
from moved m where r.id = m.recipient_id
returning m.id

-- Nobody else is called; calls that were placed are followed to their end. A plan that crosses with it is not seen
-- here: its person stays queued with it, and both are tidied away. $1 id
-- long
with campaign as (
  update carillon.campaigns set state = 'canceled', reason = 'canceled', updated_at = now()
  where id = $1 and state <> 'canceled' returning id
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'canceled', ended_at = now()
  from campaign c where a.campaign_id = c.id and a.state in ('planned', 'parked')
)
update carillon.recipients r
set state = case when r.outcome is null then 'skipped' else 'done' end,
  reason = 'campaign canceled', updated_at = now()
from campaign c where r.campaign_id = c.id and (r.state in ('waiting', 'parked')
  or (r.state = 'queued' and exists (
    select from carillon.attempts a where a.id = r.attempt_id and a.state in ('planned', 'parked'))))

-- --new starts over: the old campaign keeps everything, but not the name, and never dials again. $1 id
-- long
with campaign as (
  update carillon.campaigns set superseded_at = now(), state = 'canceled', reason = 'started over',
    revision = revision + 1, updated_at = now()
  where id = $1 returning id
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'canceled', ended_at = now()
  from campaign c where a.campaign_id = c.id and a.state in ('planned', 'parked')
)
update carillon.recipients r
set state = case when r.outcome is null then 'skipped' else 'done' end,
  reason = 'started over', updated_at = now()
from campaign c where r.campaign_id = c.id and (r.state in ('waiting', 'parked')
  or (r.state = 'queued' and exists (
    select from carillon.attempts a where a.id = r.attempt_id and a.state in ('planned', 'parked'))))

-- Plans that a cancel crossed on their way, when a dialer gave them back; and the turns of campaigns that take none any
-- more. $1 service
with ended as (
  delete from carillon.shares s using carillon.campaigns c
  where c.id = s.campaign_id and c.state in ('done', 'canceled') and s.seen_at < now() - interval '1 hour'
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'canceled', ended_at = now()
  from carillon.campaigns c
  where c.id = a.campaign_id and c.base_url = $1 and c.state = 'canceled' and a.state in ('planned', 'parked')
  returning a.id, a.recipient_id
)
update carillon.recipients r
set state = case when r.outcome is null then 'skipped' else 'done' end, reason = 'campaign canceled', updated_at = now()
from moved m where r.id = m.recipient_id

-- Frees unknown attempts of campaigns whose owner wants them redialled: once for each person, and not while the first
-- request may still be on its way. Where the service did take a call it stays, as that may still be in progress.
-- The attempt stays counted, and one more follows even when no more are allowed.
-- $1 service, $2 the run's campaign (null: background)
with chosen as (
  select a.id from carillon.attempts a
  join carillon.campaigns c on c.id = a.campaign_id
  join carillon.recipients r on r.id = a.recipient_id
  where a.state = 'unknown' and carillon.may_redial(a.reason) and a.call_id is null and carillon.free_from(a.expires_at) < clock_timestamp()
    and c.base_url = $1 and c.state = 'running' and c.terms ->> 'onUnknown' = 'redial'
    and (c.id = $2 or ($2::uuid is null and c.driver = 'background'))
    and r.redials = 0 and not exists (select from carillon.barring(r.phone, r.campaign_id))
  order by a.id limit 1000 for update of a skip locked
), moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select x.id from chosen x), '{unknown}', 'dropped', 'redialed', null) e
)
update carillon.recipients r
set state = 'waiting', redials = r.redials + 1, attempts = r.attempts + 1, reason = null, next_at = now(),
  updated_at = now()
from moved m where r.id = m.recipient_id
returning m.id

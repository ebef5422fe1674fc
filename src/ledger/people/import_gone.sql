-- Undialled people who are no longer in the file. $1 campaign
with gone as (
  select r.id, a.id as attempt from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.campaign_id = $1 and r.attempts = 0 and carillon.may_skip(r.state, a.state)
    and not exists (select from stage s where s.phone = r.phone and s.ref = r.ref)
  for update of r
), dropped as (
  select e.recipient_id from carillon.end_attempts(
    array(select g.attempt from gone g where g.attempt is not null), '{planned,parked}', 'dropped', 'gone', null) e
)
update carillon.recipients r set state = 'skipped', reason = 'not in the file any more', updated_at = now()
from gone g where r.id = g.id and (g.attempt is null or r.id in (select d.recipient_id from dropped d))

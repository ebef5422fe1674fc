-- Undialled people who stand in the file no more. $1 campaign
with gone as (
  select r.id from carillon.recipients r
  where r.campaign_id = $1 and r.attempts = 0 and (r.state in ('waiting', 'parked')
      or (r.state = 'queued' and exists (
        select from carillon.attempts a where a.id = r.attempt_id and a.state in ('planned', 'parked'))))
    and not exists (select from stage s where s.phone = r.phone and s.ref = r.ref)
  for update
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'gone', ended_at = now()
  from gone g where a.recipient_id = g.id and a.state in ('planned', 'parked')
)
update carillon.recipients r set state = 'skipped', reason = 'not in the file any more', updated_at = now()
from gone g where r.id = g.id

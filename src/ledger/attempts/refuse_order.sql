-- The service refused the order itself: the person waits again, behind those not yet tried, and the third refusal in a
-- row pauses the campaign. A single call is an order of its own: it is rejected, and not tried again after the person
-- who ordered it was told so. $1 attempt, $2 the words, $3 refusals in a row that pause, $4 the ticket of the admission
-- (null: any)
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.id = $1 and ($4::uuid is null or a.ticket = $4)),
    '{dialing,unknown}', 'refused', 'order', $2) e
), people as (
  update carillon.recipients r
  set (state, reason) = (
      select case when c.kind = 'calls' then 'rejected' else f.state end,
        case when c.kind = 'calls' then $2 else coalesce(f.reason, $2) end
      from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    next_at = now(), updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id where r.id = m.recipient_id
)
update carillon.campaigns c
set faults = c.faults + 1, updated_at = now(),
  state = case when c.state = 'running' and c.faults + 1 >= $3 then 'paused' else c.state end,
  reason = case when c.state = 'running' and c.faults + 1 >= $3 then $2 else c.reason end
from moved m where c.id = m.campaign_id and c.kind = 'list'
returning c.id, c.state, c.faults

-- Attempts that were planned and never dialled wait again when a run ends, except where the plan crossed with a cancel.
-- $1 campaign, $2 why
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.campaign_id = $1 and a.state = 'planned'),
    '{planned}', 'dropped', $2, null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from moved m where r.id = m.recipient_id
)
select count(*)::integer as released from moved

-- Plans of a run's campaign on lanes whose keys the run does not have: nobody would ever dial them. $1 campaign, $2 the
-- run's lanes
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a
      where a.campaign_id = $1 and a.state in ('planned', 'parked') and a.lane_id <> all ($2::integer[])),
    '{planned,parked}', 'dropped', 'no key', null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from moved m where r.id = m.recipient_id
)
select count(*)::integer as released from moved

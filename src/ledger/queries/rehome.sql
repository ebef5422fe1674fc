-- Plans of a run's campaign on lanes whose keys the run does not have: nobody would ever dial them. $1 campaign,
-- $2 the run's lanes
with moved as (
  update carillon.attempts a set state = 'dropped', reason = 'no key', ended_at = now()
  where a.campaign_id = $1 and a.state in ('planned', 'parked') and a.lane_id <> all ($2::integer[])
  returning a.id, a.recipient_id
), people as (
  update carillon.recipients r set state = 'waiting', reason = null, attempt_id = null, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select count(*)::integer as released from moved

-- Plans of a run's campaign on lanes whose keys the run does not have: nobody would ever dial them. $1 campaign, $2 the
-- run's lanes
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a
      where a.campaign_id = $1 and a.state in ('planned', 'parked') and a.lane_id <> all ($2::integer[])),
    '{planned,parked}', 'dropped', 'no key', null) e
), people as (
  update carillon.recipients r
  set state = case when c.state <> 'canceled' then 'waiting' else carillon.end_state(r.outcome) end,
    reason = case when c.state = 'canceled' then 'campaign canceled' end, updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id where r.id = m.recipient_id
)
select count(*)::integer as released from moved

-- The state and counts of a campaign, in one snapshot. $1 campaign
select c.id, c.name as campaign, c.state, c.reason, c.faults, c.driver, s.tally, s.live, s.requests, s.polls,
  case when c.terms ->> 'onUnknown' = 'redial' and c.state = 'running' then (select count(*)::integer
    from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.state = 'unknown' and carillon.may_redial(a.reason) and a.call_id is null
      and r.redials = 0
      and not exists (select from carillon.barring(r.phone, r.campaign_id))) else 0 end as redials,
  case when s.live ? 'unknown' then (select count(*)::integer from carillon.attempts a
    where a.campaign_id = c.id and a.state = 'unknown' and carillon.took_call(a.call_id, a.reason)) else 0 end as "unknownPlaced"
from carillon.campaigns c join carillon.standings s on s.id = c.id
where c.id = $1

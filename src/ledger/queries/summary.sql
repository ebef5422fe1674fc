-- Where a campaign stands, in one snapshot. $1 campaign
with people as (
  select state, count(*)::integer as n from carillon.recipients where campaign_id = $1 group by state
), ends as (
  select outcome, count(*)::integer as n from carillon.recipients
  where campaign_id = $1 and state = 'done' and outcome is not null group by outcome
), tries as (
  select coalesce(sum(requests), 0)::bigint as creates, coalesce(sum(polls), 0)::bigint as polls, sum(cost) as cost,
    count(*) filter (where state in ('dialing', 'placed', 'unknown', 'done')
      or (state = 'refused' and reason = 'person'))::integer as attempts,
    count(*) filter (where state = 'dialing')::integer as dialing,
    count(*) filter (where state = 'placed')::integer as placed
  from carillon.attempts where campaign_id = $1
)
select c.id, c.name as campaign, c.state, c.reason, c.faults, c.driver,
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused,
  (select coalesce(jsonb_object_agg(state, n), '{}') from people) as states,
  (select coalesce(jsonb_object_agg(outcome, n), '{}') from ends) as outcomes,
  case when c.on_unknown = 'redial' and c.state = 'running' then (select count(*)::integer
    from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.state = 'unknown' and a.call_id is null and r.redials = 0
      and not exists (select from carillon.suppressions s where s.phone = r.phone)) else 0 end as redials,
  tries.attempts, (c.requests + tries.creates + tries.polls)::bigint as requests, tries.polls, tries.cost,
  tries.dialing, tries.placed
from carillon.campaigns c, tries where c.id = $1

-- Where a campaign stands, in one snapshot. $1 campaign
select c.id, c.name as campaign, c.state, c.reason, c.faults, c.driver, t.tally, l.live, l.requests, l.polls,
  case when c.terms ->> 'onUnknown' = 'redial' and c.state = 'running' then (select count(*)::integer
    from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.state = 'unknown' and a.call_id is null and r.redials = 0
      and not exists (select from carillon.barred b where b.phone = r.phone)) else 0 end as redials
from carillon.campaigns c
cross join lateral (
  select coalesce(jsonb_object_agg(n.name, n.n), '{}') as tally from carillon.counts n where n.campaign_id = c.id
) t
cross join lateral (
  select coalesce(jsonb_object_agg(s.state, s.n), '{}') as live, coalesce(sum(s.requests), 0)::integer as requests,
    coalesce(sum(s.polls), 0)::integer as polls
  from (select a.state, count(*)::integer as n, sum(a.requests) as requests, sum(a.polls) as polls
    from carillon.attempts a where a.campaign_id = c.id group by 1) s
) l
where c.id = $1

-- People with what decides whether an act is possible, in the order of their ids. $1 people
select r.id, r.campaign_id as "campaignId", r.phone, c.base_url as "baseUrl", c.kind, c.state as "campaignState",
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state, r.outcome, r.reason, a.id as attempt,
  a.call_id as "callId", a.reason as "unknownAs"
from unnest($1::bigint[]) p(id)
cross join lateral (select x.* from carillon.recipients x where x.id = p.id offset 0) r
cross join lateral (select d.base_url, d.kind, d.state from carillon.campaigns d where d.id = r.campaign_id offset 0) c
left join carillon.attempts a on a.recipient_id = r.id
order by r.id

-- People with what decides whether an act is possible, in the order of their ids. `free`: nothing of an unknown attempt
-- can be on its way any more; `later`: the next attempt has a time that is to come. $1 people, $2 service
select r.id, r.campaign_id as "campaignId", r.phone, c.base_url = $2 as ours, c.kind, c.state as "campaignState",
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state, r.outcome, r.reason, a.id as attempt,
  a.call_id as "callId", a.reason as "unknownAs",
  coalesce(carillon.free_from(a.expires_at) < clock_timestamp(), false) as free, r.held is not null as held,
  r.next_at > now() as later, exists (select from carillon.barring(r.phone, r.campaign_id)) as barred
from unnest($1::bigint[]) p(id)
cross join lateral (select x.* from carillon.recipients x where x.id = p.id offset 0) r
cross join lateral (select d.base_url, d.kind, d.state from carillon.campaigns d where d.id = r.campaign_id offset 0) c
left join carillon.attempts a on a.recipient_id = r.id
order by r.id

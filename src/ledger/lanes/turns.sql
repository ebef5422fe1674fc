-- Why rows of a campaign wait although they are due: what all keys that dial it lack. A key dials a campaign whose planner
-- was at it a moment ago; a key that rests is not planned on. $1 campaigns
select c.id, case
    when k.open and (c.calling >= c.max_calls or k.full) then 'calls'
    when k.open then 'rate'
    when k.refused then 'refused'
    when k.unpaid then 'no-credit'
    else 'rate'
  end as reason
from (
  select x.id, x.base_url, x.max_calls,
    case when x.max_calls is not null then (select count(*) from carillon.attempts a
      where a.campaign_id = x.id and a.state in ('planned', 'dialing', 'placed')) end as calling
  from carillon.campaigns x where x.id = any ($1::uuid[])
) c
cross join lateral (
  select
    coalesce(bool_or(l.state = 'open' and l.dials), false) as open,
    -- Of every open key.
    coalesce(bool_and(l.calls >= l.max_calls) filter (where l.state = 'open' and l.dials), false) as full,
    coalesce(bool_or(l.state in ('failing', 'denied')), false) as refused,
    coalesce(bool_or(l.state = 'out_of_credit'), false) as unpaid
  from (
    select y.state, y.max_calls,
      exists (select from carillon.shares s where s.lane_id = y.id and s.campaign_id = c.id
        and s.seen_at > now() - interval '15 seconds') as dials,
      case when y.max_calls is not null then (select count(*) from carillon.attempts a
        where a.lane_id = y.id and a.state in ('planned', 'dialing', 'placed')) end as calls
    from carillon.lanes y where y.base_url = c.base_url
  ) l
) k

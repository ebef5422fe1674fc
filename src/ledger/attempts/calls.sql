-- A campaign's calls: made or in progress, and planned. $1 campaign
select (coalesce((select t.n from carillon.counts t where t.campaign_id = $1 and t.name = 'calls'), 0)
    + count(*) filter (where a.state in ('dialing', 'placed', 'unknown')))::integer as made,
  count(*) filter (where a.state = 'planned')::integer as planned
from carillon.attempts a where a.campaign_id = $1

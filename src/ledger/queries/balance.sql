-- Every campaign that ever was, its rows counted one by one and by state, and its live attempts by state, in one
-- snapshot: the two sides of invariant 2.
-- long
select c.id, c.name, c.base_url as "baseUrl", c.superseded_at is not null as superseded,
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused,
  (select count(*)::integer from carillon.recipients r where r.campaign_id = c.id) as people,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select r.state, count(*)::integer as n from carillon.recipients r where r.campaign_id = c.id group by 1) s) as states,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select a.state, count(*)::integer as n from carillon.attempts a where a.campaign_id = c.id
     and a.state in ('planned', 'parked', 'dialing', 'placed', 'unknown') group by 1) s) as live
from carillon.campaigns c
order by c.created_at

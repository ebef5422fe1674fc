-- Every campaign that ever was: its rows, counted one by one and by state, and the counts of its tallies and live
-- attempts, in one snapshot. The two must agree.
-- long
select c.id, c.name, c.base_url as "baseUrl", c.superseded_at is not null as superseded,
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused,
  (select count(*)::integer from carillon.recipients r where r.campaign_id = c.id) as people,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select r.state, count(*)::integer as n from carillon.recipients r where r.campaign_id = c.id group by 1) s) as states,
  (select coalesce(jsonb_object_agg(s.outcome, s.n), '{}')
   from (select r.outcome, count(*)::integer as n from carillon.recipients r
     where r.campaign_id = c.id and r.state = 'done' and r.outcome is not null group by 1) s) as outcomes,
  (select coalesce(jsonb_object_agg(t.name, t.n), '{}') from carillon.counts t where t.campaign_id = c.id) as tally,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select a.state, count(*)::integer as n from carillon.attempts a where a.campaign_id = c.id group by 1) s) as live
from carillon.campaigns c
where c.deleted_at is null
order by c.created_at

-- Every campaign that bears its name today, with its rows by state. $1 service (null: every service)
-- long
select c.id, c.name, c.kind, c.state, c.reason, c.driver, c.base_url as "baseUrl", c.agent_id as "agentId",
  c.run_seen_at > now() - interval '30 seconds' as "runLives", c.created_at as "createdAt",
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select r.state, count(*)::integer as n from carillon.recipients r where r.campaign_id = c.id group by 1) s) as states
from carillon.campaigns c
where c.superseded_at is null and ($1::text is null or c.base_url = $1)
order by c.created_at desc

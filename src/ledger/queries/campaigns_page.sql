-- The campaigns of a service that bear their names today, the youngest first, each with its rows by state and outcome.
-- $1 service, $2 after this campaign (null: from the first), $3 how many
select c.id, c.name, c.kind, c.state, c.reason, c.driver, c.base_url as "baseUrl", c.agent_id as "agentId",
  c.run_seen_at > now() - interval '30 seconds' as "runLives", c.created_at as "createdAt",
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused, x.states, x.outcomes
from (
  select * from carillon.campaigns p
  where p.superseded_at is null and p.base_url = $1
    and ($2::uuid is null or (p.created_at, p.id) < (select l.created_at, l.id from carillon.campaigns l where l.id = $2))
  order by p.created_at desc, p.id desc limit $3
) c, lateral (
  with people as (
    select r.state, case when r.state = 'done' then r.outcome end as outcome, count(*)::integer as n
    from carillon.recipients r where r.campaign_id = c.id group by 1, 2
  )
  select
    (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
     from (select p.state, sum(p.n)::integer as n from people p group by 1) s) as states,
    (select coalesce(jsonb_object_agg(p.outcome, p.n), '{}') from people p where p.outcome is not null) as outcomes
) x
order by c.created_at desc, c.id desc

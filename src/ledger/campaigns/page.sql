-- The campaigns that bear their names today, the youngest first, each with what it counts.
-- $1 service (null: every service), $2 after this campaign (null: from the first), $3 how many
select c.id, c.name, c.kind, c.state, c.reason, c.driver, c.base_url as "baseUrl",
  carillon.run_lives(c.run_seen_at) as "runLives", c.created_at as "createdAt", c.terms, t.tally, l.live
from (
  select * from carillon.campaigns p
  where p.superseded_at is null and ($1::text is null or p.base_url = $1)
    and ($2::uuid is null or (p.created_at, p.id) < (select l.created_at, l.id from carillon.campaigns l where l.id = $2))
  order by p.created_at desc, p.id desc limit $3
) c
cross join lateral (
  select coalesce(jsonb_object_agg(n.name, n.n), '{}') as tally from carillon.counts n where n.campaign_id = c.id
) t
cross join lateral (
  select coalesce(jsonb_object_agg(s.state, s.n), '{}') as live
  from (select a.state, count(*)::integer as n from carillon.attempts a where a.campaign_id = c.id group by 1) s
) l
order by c.created_at desc, c.id desc

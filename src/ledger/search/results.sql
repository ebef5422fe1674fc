-- The results of these people, in their order, with what their campaigns say about waiting. $1 recipients
select r.*, c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives"
from unnest($1::bigint[]) with ordinality as x(id, nth)
cross join lateral (select s.* from carillon.results s where s.id = x.id offset 0) r
cross join lateral (select k.* from carillon.campaigns k where k.id = r.campaign_id offset 0) c
order by x.nth

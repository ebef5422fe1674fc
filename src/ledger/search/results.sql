-- The results of these people, in their order, with what their campaigns say about waiting. $1 recipients
select r.*, c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives"
from carillon.results_of($1) r
cross join lateral (select k.* from carillon.campaigns k where k.id = r.campaign_id offset 0) c
order by array_position($1, r.id)

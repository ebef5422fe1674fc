-- How full lanes and campaigns are, so that the planner keeps a few seconds of work in the queue. Plans that a resting
-- campaign left behind use no headroom. Nor does what a run that died was dialling, while an order is tried. $1 service,
-- $2 the dialer of a run (null: background)
select n."laneId", n."campaignId", c.driver, n.dialing, n.trying, n.placed,
  case when c.state = 'running' and (c.driver = 'background' or carillon.run_lives(c.run_seen_at))
    then n.planned else 0 end as planned
from (
  select a.lane_id as "laneId", a.campaign_id as "campaignId",
    count(*) filter (where a.state = 'planned')::integer as planned,
    count(*) filter (where a.state = 'dialing')::integer as dialing,
    count(*) filter (where a.state = 'dialing' and ($2::text is null or a.dialer = $2))::integer as trying,
    count(*) filter (where a.state = 'placed')::integer as placed
  from carillon.attempts a
  where a.state in ('planned', 'dialing', 'placed')
  group by 1, 2
) n
join carillon.lanes l on l.id = n."laneId"
join carillon.campaigns c on c.id = n."campaignId"
where l.base_url = $1

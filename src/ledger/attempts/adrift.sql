-- Attempts of a scope that should have a job: planned ones on a lane that dials them, and placed ones whose next poll
-- is overdue.
-- $1 service, $2 the run's campaign (null: background), $3 seconds overdue
select a.id, a.lane_id as "laneId", a.state, a.next_poll_at as "nextPollAt"
from carillon.attempts a
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where c.base_url = $1 and (
  (a.state = 'planned' and c.state = 'running' and (l.state = 'open' or l.probe_attempt = a.id)
    and (($2::uuid is null and c.driver = 'background') or c.id = $2))
  or (a.state = 'placed' and a.next_poll_at < now() - make_interval(secs => $3) and (c.id = $2 or ($2::uuid is null
    and (c.driver = 'background' or not carillon.run_lives(c.run_seen_at))))))
order by a.planned_at
limit 20000

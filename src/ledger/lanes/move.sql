-- Plans on a lane that creates no calls go to an open one; a probe stays. Returns those of a scope that moved. $1 from,
-- $2 to, $3 the run's campaign (null: background)
with moved as (
  update carillon.attempts a set lane_id = $2
  from carillon.lanes l
  where l.id = $1 and a.lane_id = $1 and a.state = 'planned' and a.id is distinct from l.probe_attempt
  returning a.id, a.campaign_id, a.planned_at, a.recipient_id
)
select m.id from moved m
join carillon.recipients r on r.id = m.recipient_id join carillon.campaigns c on c.id = m.campaign_id
where ($3::uuid is null and c.driver = 'background') or c.id = $3
order by m.planned_at, r.row, m.id

-- What the lanes were believed to be allowed: the latest of each step. A lane that slept is as it was before.
-- $1 from, $2 before, $3 the step that is shown, in seconds
select carillon.step_of(s.at, $3) as at, s.lane_id as lane, (array_agg(s.state order by s.at desc))[1] as state,
  (array_agg(s.believed order by s.at desc))[1] as believed
from carillon.lanes l
join carillon.lane_series s on s.lane_id = l.id and s.step = 60 and s.at >= $1 and s.at < $2
group by 1, 2 order by 1

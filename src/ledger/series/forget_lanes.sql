-- Removes samples of lanes that are older than they are kept. $1 seconds for ten seconds, $2 seconds for minutes, $3 how
-- many of each lane at most
delete from carillon.lane_series s
using carillon.lanes l, (values (10, $1::double precision), (60, $2)) as k(step, secs),
  lateral (
    select x.at from carillon.lane_series x
    where x.lane_id = l.id and x.step = k.step and x.at < now() - make_interval(secs => k.secs) order by x.at limit $3 offset 0
  ) o
where s.lane_id = l.id and s.step = k.step and s.at = o.at
returning s.step

-- Every lane of a service with its attempts in progress. $1 service
select l.id, l.name, l.state, l.reason, l.since, l.losses, l.probe_at as "probeAt", l.probe_attempt as "probeAttempt",
  l.refused_since as "refusedSince", l.spare_since as "spareSince", l.max_calls as "maxCalls",
  count(a.id) filter (where a.state = 'planned')::integer as planned,
  count(a.id) filter (where a.state = 'parked')::integer as parked,
  count(a.id) filter (where a.state in ('dialing', 'placed'))::integer as calling
from carillon.lanes l
left join carillon.attempts a on a.lane_id = l.id
where l.base_url = $1
group by l.id order by l.name

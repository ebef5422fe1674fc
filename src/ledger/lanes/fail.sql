-- A create on the lane was lost, or got the answer of a failing service. When there are $4 more of these than good
-- answers, the lane is failing: it creates no calls except its probe. Creates that left before the lane was opened
-- report an outage that is over. Those in flight when it closed say nothing new: only a probe moves the clock. An
-- outage soon after another continues with its gaps. $1 lane, $2 attempt, $3 what came back, $4 how many
with known as (
  -- Each opening counts once, however often it is reported.
  update carillon.attempts a set counted = a.opens
  where a.id = $2 and a.counted < a.opens
  returning a.id, a.dialing_at
), lane as (
  select l.id, l.state = 'open' and l.losses + 1 >= $4 as trips, l.probe_attempt is not distinct from $2 as probed,
    case when l.state = 'open' and l.since < now() - interval '2 minutes' then 5000 else l.probe_gap_ms end as gap
  from carillon.lanes l
  where l.id = $1 and l.state <> 'denied'
    and exists (select from known k where k.dialing_at >= l.since)
  for update of l
)
update carillon.lanes l set losses = l.losses + 1,
  state = case when x.trips then 'failing' else l.state end,
  since = case when x.trips then now() else l.since end,
  reason = case when x.trips or x.probed then $3 else l.reason end,
  probe_at = case when x.trips or x.probed then now() + make_interval(secs => x.gap / 1000.0) else l.probe_at end,
  probe_gap_ms = case when x.trips or x.probed then least(60000, x.gap * 2) else l.probe_gap_ms end,
  probe_attempt = case when x.trips or x.probed then null else l.probe_attempt end,
  refused_since = case when x.trips then null else l.refused_since end
from lane x where l.id = x.id
returning l.state, x.trips

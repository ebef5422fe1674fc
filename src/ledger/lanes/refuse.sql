-- A create on the lane was refused as too many: since when every create is, and since when although fewer calls are in
-- progress than at the first of them, which a cap on calls at once does not explain. The probe of a lane that stopped for
-- this moves the clock. $1 lane, $2 attempt, $3 the service's words
with lane as (
  select l.id, l.state = 'failing' and l.probe_attempt is not distinct from $2 as probed,
    coalesce(l.refused_since, now()) as since, coalesce(l.refused_calls, c.n) as calls,
    case when c.n = 0 or c.n < l.refused_calls then coalesce(l.spare_since, now()) end as spare
  from carillon.lanes l
  cross join (
    select count(*)::integer as n from carillon.attempts a where a.lane_id = $1 and a.state = 'placed'
  ) c
  -- A lane that fails in another way is not opened by a refusal either, nor judged by it.
  where l.id = $1 and (l.state = 'open' or (l.state = 'failing' and l.refused_since is not null))
  for update of l
)
update carillon.lanes l set refused_since = x.since, refused_calls = x.calls, spare_since = x.spare, refused_words = $3,
  reason = case when l.state = 'failing' then 'every call is refused: ' || $3 else l.reason end,
  probe_at = case when x.probed then now() + make_interval(secs => l.probe_gap_ms / 1000.0) else l.probe_at end,
  probe_gap_ms = case when x.probed then least(60000, l.probe_gap_ms * 2) else l.probe_gap_ms end,
  probe_attempt = case when x.probed then null else l.probe_attempt end
from lane x where l.id = x.id
returning l.state

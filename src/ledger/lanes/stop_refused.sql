-- The lane stops, except for a probe, when every create of the last $2 seconds was refused and people wait for it. Calls
-- that have just ended may still be counted by the service: fewer calls must have been in progress for a while.
-- $1 lane, $2 seconds, $3 seconds with fewer calls
with lane as (
  select l.id, case when l.since < now() - interval '2 minutes' then 5000 else l.probe_gap_ms end as gap
  from carillon.lanes l
  where l.id = $1 and l.state = 'open' and l.refused_since <= now() - make_interval(secs => $2)
    and l.spare_since <= now() - make_interval(secs => $3)
    and exists (select from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
      where a.lane_id = l.id and a.state = 'planned' and c.state = 'running')
  for update of l
)
update carillon.lanes l set state = 'failing', since = now(), losses = 0,
  reason = 'every call is refused: ' || l.refused_words, probe_at = now() + make_interval(secs => x.gap / 1000.0),
  probe_gap_ms = least(60000, x.gap * 2), probe_attempt = null
from lane x where l.id = x.id
returning l.id

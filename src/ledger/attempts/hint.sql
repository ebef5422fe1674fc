-- Someone says that a call may have ended: it is asked for now, or once the last hint is old enough. Returns nothing when
-- the call is not in progress, or is asked for no later anyway. No index has the ids of live calls: there are not many.
-- $1 service, $2 call id, $3 least seconds between two hints of a call
with found as (
  select a.id, l.name as key, greatest(clock_timestamp(), a.hinted_at + make_interval(secs => $3::double precision)) as at,
    case when c.driver = 'run' and carillon.run_lives(c.run_seen_at) then c.id end as run
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  join carillon.campaigns c on c.id = a.campaign_id
  where a.call_id = $2 and a.state = 'placed' and l.base_url = $1
)
update carillon.attempts a set hinted_at = f.at, next_poll_at = f.at
from found f
where a.id = f.id and a.state = 'placed' and a.next_poll_at > f.at
returning a.id, f.key, f.run, f.at

-- 402: the person keeps the place, no attempt is spent, and the lane creates no calls until a probe succeeds.
-- Everything planned on the lane is parked with it. $1 attempt, $2 lane, $3 the service's words, $4 the ticket of the
-- opening that was refused (null: any, also one that was not opened)
with own as (
  select a.id from carillon.attempts a
  where a.id = $1 and ((a.state = 'dialing' and ($4::uuid is null or a.ticket = $4)) or (a.state = 'planned' and $4 is null))
  for update
), lane as (
  update carillon.lanes l set state = 'out_of_credit', reason = $3, probe_attempt = null, losses = 0,
    since = case when l.state = 'out_of_credit' then l.since else now() end,
    probe_at = now() + make_interval(secs => case when l.state = 'out_of_credit' then l.probe_gap_ms else 5000 end / 1000.0),
    probe_gap_ms = case when l.state = 'out_of_credit' then least(60000, l.probe_gap_ms * 2) else 10000 end
  from own
  -- Creates that were in flight together are refused together: only the first and each probe move the clock.
  where l.id = $2 and (l.state in ('open', 'failing') or l.probe_attempt = $1)
), moved as (
  update carillon.attempts a set state = 'parked', detail = $3
  from own where a.id = own.id or (a.lane_id = $2 and a.state = 'planned')
  returning a.id, a.phone
), freed as (
  delete from carillon.live_phones p using moved m where p.phone = m.phone and p.attempt_id = m.id
)
select count(*)::integer as parked from moved

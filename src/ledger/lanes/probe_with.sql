-- Makes a fresh plan the probe of a lane that creates no calls. $1 lane, $2 attempt
update carillon.lanes l set probe_attempt = $2,
  probe_at = now() + make_interval(secs => greatest(l.probe_gap_ms, 5000) / 1000.0)
where l.id = $1 and l.state in ('failing', 'out_of_credit') and l.probe_at <= now()
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing')
returning l.id

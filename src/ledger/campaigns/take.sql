-- A run takes the campaign: only it dials, and the faults of yesterday's order are forgotten. $1 id, $2 run
update carillon.campaigns set state = 'running', reason = null, driver = 'run', run_id = $2, run_seen_at = now(),
  faults = 0, proved = false, revision = revision + 1, updated_at = now()
where id = $1 and state <> 'canceled'
returning id

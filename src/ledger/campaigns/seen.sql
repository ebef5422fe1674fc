-- The run is active. $1 id, $2 run
update carillon.campaigns set run_seen_at = now() where id = $1 and run_id = $2 and driver = 'run' returning state

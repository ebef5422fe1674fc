-- Continues: in its run when that is active, else on the background workers. $1 id
update carillon.campaigns set state = 'running', reason = null, faults = 0, updated_at = now(),
  revision = revision + 1,
  driver = case when driver = 'run' and run_id is not null and carillon.run_lives(run_seen_at)
    then 'run' else 'background' end
where id = $1 and state <> 'canceled'
returning id, driver

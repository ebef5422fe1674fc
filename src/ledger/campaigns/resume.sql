-- Continues: in its run when that is active, else on the background workers. $1 id
with forgotten as (
  -- Calls that failed before it was continued do not stop it again.
  delete from carillon.recent_ends e where e.campaign_id = $1
)
update carillon.campaigns set state = 'running', reason = null, faults = 0, updated_at = now(),
  revision = revision + 1,
  driver = case when driver = 'run' and run_id is not null and carillon.run_lives(run_seen_at)
    then 'run' else 'background' end
where id = $1 and state <> 'canceled'
returning id, driver

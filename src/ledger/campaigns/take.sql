-- A run takes the campaign: only it dials, and earlier refusals of the order no longer count. $1 id, $2 run
with forgotten as (
  -- Calls that failed before it was continued do not stop it again.
  delete from carillon.recent_ends e where e.campaign_id = $1
)
update carillon.campaigns set state = 'running', reason = null, driver = 'run', run_id = $2, run_seen_at = now(),
  faults = 0, proved = false, revision = revision + 1, updated_at = now()
where id = $1 and state <> 'canceled'
returning id

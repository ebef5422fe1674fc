-- The run has ended; the campaign rests in the given state. $1 id, $2 run, $3 state, $4 reason
update carillon.campaigns set run_id = null, run_seen_at = null,
  state = case when state = 'running' then $3 else state end,
  reason = case when state = 'running' then $4 else reason end, updated_at = now()
where id = $1 and run_id = $2

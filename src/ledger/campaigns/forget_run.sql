-- Forgets a killed run. A run that took the campaign in the meantime stays. $1 campaign
update carillon.campaigns set run_id = null, run_seen_at = null
where id = $1 and run_seen_at < now() - interval '60 seconds'

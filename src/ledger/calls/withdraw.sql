-- A single call that waits again is not left for later. $1 recipient, $2 why
update carillon.recipients r set state = carillon.end_state(r.outcome), reason = $2, updated_at = now()
where r.id = $1 and r.state = 'waiting'
returning r.id

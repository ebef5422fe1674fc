-- No attempt is opened after this commit. $1 ids, $2 why
update carillon.campaigns set state = 'paused', reason = $2, updated_at = now()
where id = any ($1::uuid[]) and state = 'running'
returning id, name

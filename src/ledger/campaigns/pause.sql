-- No attempt is opened after this commit. $1 ids (null: every running campaign), $2 why
update carillon.campaigns set state = 'paused', reason = $2, updated_at = now()
where ($1::uuid[] is null or id = any ($1)) and state = 'running'
returning id, name

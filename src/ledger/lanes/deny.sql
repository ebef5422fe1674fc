-- 401 or 403: the key is closed until a person says otherwise. $1 lane, $2 the service's words
update carillon.lanes set state = 'denied', reason = $2, since = now(), probe_at = null, probe_attempt = null, losses = 0
where id = $1 and state <> 'denied'
returning id

-- How far an import is. $1 import, $2 bytes read, $3 rows read, $4 accepted, $5 rejected
update carillon.imports i set bytes_read = $2, rows_read = $3, accepted = $4, rejected = $5, state = 'running',
  since = case when i.state = 'running' then i.since else now() end
where i.id = $1 and i.state in ('waiting', 'running')

-- Whether an import is not over. Read after its lock was taken. $1 import
select exists (select from carillon.imports i where i.id = $1 and i.state in ('waiting', 'running')) as open

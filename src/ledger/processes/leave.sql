-- A process stops. $1 id
delete from carillon.processes p where p.id = $1

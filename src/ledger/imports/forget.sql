-- Imports that ended long ago: what they brought stays. $1 days
delete from carillon.imports i where i.ended_at < now() - $1::integer * interval '1 day'

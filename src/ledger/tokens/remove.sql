-- $1 its id or its name
delete from carillon.tokens where id::text = $1 or name = $1
returning id, name, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

-- Nothing is made where the name is taken. $1 name, $2 digest in hex, $3 role, $4 who makes it, $5 when it ends (null:
-- never)
insert into carillon.tokens (name, digest, role, made_by, ends_at)
values ($1, decode($2, 'hex'), $3, $4, $5) on conflict (name) do nothing
returning id, name, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

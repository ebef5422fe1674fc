-- name: add
-- Creates nothing if the name is taken. $1 name, $2 digest in hex, $3 role, $4 who makes it, $5 when it ends (null:
-- never), $6 its owner (null: not told)
insert into carillon.tokens (name, digest, role, made_by, ends_at, person)
values ($1, decode($2, 'hex'), $3, $4, $5, $6) on conflict (name) do nothing
returning id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

-- name: page
-- A page ordered by name, including expired tokens. $1 after this name, $2 how many
select id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where name > $1 order by name limit $2

-- name: find
-- The token with this digest, while it is valid. $1 digest in hex
select id, name, person, role from carillon.tokens
where digest = decode($1, 'hex') and (ends_at is null or ends_at > now())

-- name: by_id
-- One token. $1 its id
select id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where id = $1

-- name: used
-- Kept to about a minute: many processes may see one token at once. $1 ids
update carillon.tokens set used_at = now()
where id = any ($1::uuid[]) and (used_at is null or used_at < now() - interval '50 seconds')

-- name: remove
-- Revokes a token. $1 its id or its name
delete from carillon.tokens where id::text = $1 or name = $1
returning id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

-- name: add
-- Creates nothing if the name is taken. @digest: digest in hex; @madeBy: who makes it; @endsAt: when it ends (null:
-- never); @person: its owner (null: not told)
insert into carillon.tokens (name, digest, role, made_by, ends_at, person)
values (@name, decode(@digest, 'hex'), @role, @madeBy, @endsAt, @person) on conflict (name) do nothing
returning id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

-- name: page
-- A page ordered by name, including expired tokens. @after: after this name
select id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where name > @after order by name limit @most

-- name: find
-- The token with this digest, while it is valid. @digest: digest in hex
select id, name, person, role from carillon.tokens
where digest = decode(@digest, 'hex') and (ends_at is null or ends_at > now())

-- name: by_id
-- One token.
select id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where id = @id

-- name: used
-- Kept to about a minute: many processes may see one token at once.
update carillon.tokens set used_at = now()
where id = any (@ids::uuid[]) and (used_at is null or used_at < now() - interval '50 seconds')

-- name: remove
-- Revokes a token.
delete from carillon.tokens where id::text = @idOrName or name = @idOrName
returning id, name, person, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"

-- Kept to about a minute: many processes may see one token at once. $1 ids
update carillon.tokens set used_at = now()
where id = any ($1::uuid[]) and (used_at is null or used_at < now() - interval '50 seconds')

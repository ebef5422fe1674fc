-- The token with this digest, while it is valid. $1 digest in hex
select id, name, role from carillon.tokens
where digest = decode($1, 'hex') and (ends_at is null or ends_at > now())

-- name: find
-- The result of a request, while it is kept. $1 its reference
select r.asked, r.made from carillon.idempotent_requests r where r.ref = $1 and (r.ends_at is null or r.ends_at > now())

-- name: claim
-- Whether a request may act in this transaction. $1 its reference
select carillon.claim_request($1) as found

-- name: keep
-- Keeps the result of a request, in the transaction that made it, replacing an expired one. $1 reference, $2 a digest
-- of what was asked for, $3 what it made, $4 days to keep it (null: for ever)
insert into carillon.idempotent_requests (ref, asked, made, ends_at) values ($1, $2, $3::jsonb, now() + $4::integer * interval '1 day')
on conflict (ref) do update set asked = excluded.asked, made = excluded.made, ends_at = excluded.ends_at

-- name: drop
-- The result is gone: the request is a new one. $1 its reference
delete from carillon.idempotent_requests where ref = $1

-- name: forget
-- Removes expired requests.
delete from carillon.idempotent_requests where ends_at < now()

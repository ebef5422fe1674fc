-- name: find
-- The result of a request, while it is kept. @ref: its reference
select r.asked, r.made from carillon.idempotent_requests r where r.ref = @ref and (r.ends_at is null
  or r.ends_at > now())

-- name: claim
-- Whether a request may act in this transaction. @ref: its reference
select carillon.claim_request(@ref) as found

-- name: keep
-- Keeps the result of a request, in the transaction that made it, replacing an expired one.
-- @ref: reference; @asked: a digest of what was asked for; @made: what it made; @days: days to keep it (null: for ever)
insert into carillon.idempotent_requests (ref, asked, made, ends_at) values (@ref, @asked, @made::jsonb,
  now() + @days::integer * interval '1 day')
on conflict (ref) do update set asked = excluded.asked, made = excluded.made, ends_at = excluded.ends_at

-- name: drop
-- The result is gone: the request is a new one. @ref: its reference
delete from carillon.idempotent_requests where ref = @ref

-- name: forget
-- Removes expired requests.
delete from carillon.idempotent_requests where ends_at < now()

-- Nothing is made where the name or the request is known. $1 name, $2 kind, $3 service, $4 state, $5 driver, $6 the order,
-- $7 the reference of the request (null: none), $8 a digest of what it asked for
insert into carillon.campaigns (name, kind, base_url, state, driver, terms, most_attempts, ref, ref_body)
values ($1, $2, $3, $4, $5, $6, ($6::jsonb ->> 'maxAttempts')::integer, $7, $8)
on conflict do nothing
returning id

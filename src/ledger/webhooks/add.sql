-- Adds an address, which is told what comes after $5; none is added when there are $6 of them, or when the same request did it.
-- $1 id, $2 url, $3 sealed secret, $4 types (null: all), $5 number of an event, $6 how many there may be, $7 the request
-- (null: unnamed), $8 a digest of what it asked for
insert into carillon.webhooks as w (id, url, secret, events, cursor, ref, ref_body)
select $1, $2, $3, $4::text[], $5, $7, $8
where (select count(*) from carillon.webhooks) < $6::integer
on conflict (ref) do nothing
returning w.id

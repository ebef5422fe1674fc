-- Adds an address, which is told what comes after $5; none is added when there are $6 of them. $1 id, $2 url, $3 sealed
-- secret, $4 types (null: all), $5 number of an event, $6 how many there may be
insert into carillon.webhooks as w (id, url, secret, events, cursor)
select $1, $2, $3, $4::text[], $5
where (select count(*) from carillon.webhooks) < $6::integer
returning w.id

-- Nothing is made where the name is known. $1 name, $2 kind, $3 service, $4 state, $5 driver, $6 the order
insert into carillon.campaigns (name, kind, base_url, state, driver, terms, most_attempts)
values ($1, $2, $3, $4, $5, $6, ($6::jsonb ->> 'maxAttempts')::integer)
on conflict do nothing
returning id

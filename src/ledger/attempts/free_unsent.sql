-- Frees what a journal proves to have never left: see carillon.free_unsent. $1 [{id, ticket, journal}]
select id from carillon.free_unsent($1::jsonb) as id

-- What grows with every change of a person's row, as it is now. $1 recipient
select (extract(epoch from r.updated_at) * 1000000)::bigint::text as version from carillon.recipients r where r.id = $1

-- The recipients with these ids, newest first. $1 recipients, $2 before this one, $3 how many
select r.id from (select distinct p.id from unnest($1::bigint[]) p(id)) p
cross join lateral (select x.id from carillon.recipients x where x.id = p.id offset 0) r
where r.id < $2::bigint order by r.id desc limit $3

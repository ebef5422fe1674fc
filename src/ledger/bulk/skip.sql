-- Takes people off their lists, one by one in their order: see carillon.remove_person. $1 people
select p.id, carillon.remove_person(p.id) as refusal from unnest($1::bigint[]) with ordinality as p(id, nth) order by p.nth

-- Everyone with one of these phones, newest first. Looked up phone by phone: otherwise the order by id would tempt the
-- planner to read the table from its end. $1 phones, $2 before this recipient, $3 how many
select r.id from unnest($1::text[]) p(phone)
cross join lateral (select x.id from carillon.recipients x where x.phone = p.phone offset 0) r
where r.id < $2::bigint order by r.id desc limit $3

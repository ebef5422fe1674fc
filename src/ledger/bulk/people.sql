-- One piece of the people of an export. $1 act, $2 number, from 0
select p.people::text[] as people from carillon.bulk_pieces p where p.act_id = $1 and p.n = $2

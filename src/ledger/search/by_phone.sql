-- Everyone with one of these phones, newest first. $1 phones, $2 before this recipient, $3 how many
select p.id from carillon.people_by_phone($1, $2, $3) as p(id)

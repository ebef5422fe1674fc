-- The people of a campaign in input order. $1 campaign, $2 $3 after this row and recipient, $4 how many
select p.id, p.at from carillon.people_of_campaign($1, $2, $3, $4) p

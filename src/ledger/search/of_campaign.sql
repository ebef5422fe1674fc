-- The people of a campaign in input order. $1 campaign, $2 $3 after this row and recipient, $4 how many
select r.id, r.row as at from carillon.recipients r
where r.campaign_id = $1 and (r.row, r.id) > ($2, $3) order by r.row, r.id limit $4

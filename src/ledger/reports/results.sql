-- Results in input order, a page at a time. $1 campaign, $2 $3 after this row and id, $4 how many
select r.* from carillon.results r
where r.campaign_id = $1 and (r.row, r.id) > ($2, $3)
order by r.row, r.id limit $4

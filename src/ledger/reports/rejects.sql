-- $1 campaign, $2 $3 after this row and id, $4 how many
select id, row, reason, input from carillon.rejects
where campaign_id = $1 and (row, id) > ($2, $3) order by row, id limit $4

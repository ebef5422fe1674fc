-- The results of some of the rows, in input order, a page at a time. $1 campaign, $2 $3 after this row and id, $4 how
-- many, $5 in these states (null: any), $6 with these outcomes (null: any), $7 that moved since (null: ever)
-- long
select r.* from carillon.results r
where r.campaign_id = $1 and (r.row, r.id) > ($2, $3)
  and ($5::text[] is null or r.state = any ($5)) and ($6::text[] is null or r.outcome = any ($6))
  and ($7::timestamptz is null or r."updatedAt" >= $7)
order by r.row, r.id limit $4

-- The rejected rows of a campaign in input order: those that imports refused, and the people whom the service refused. Both
-- kinds have ids of their own, so that one takes the even numbers and the other the odd ones. $1 campaign, $2 $3 after
-- this row and id, $4 how many
select id, row, reason, input, on_list as "onList" from (
  (select j.id * 2 as id, j.row, j.reason, j.input, false as on_list from carillon.rejects j
    where j.campaign_id = $1 and j.row >= $2 and (j.row, j.id * 2) > ($2, $3) order by j.row, j.id limit $4)
  union all
  (select r.id * 2 + 1, r.row, coalesce('refused by the service: ' || r.reason, 'erased'), r.input, true
    from carillon.recipients r
    where r.campaign_id = $1 and r.state = 'rejected' and r.row >= $2 and (r.row, r.id * 2 + 1) > ($2, $3)
    order by r.row, r.id limit $4)
) x
order by row, id limit $4

-- A campaign's attempts in input order, those of one person in theirs, a page at a time. A plan that was withdrawn
-- before it was dialled is left out. Looked up person by person: a join would sort all of them for one page.
-- $1 campaign, $2 $3 $4 after this row, recipient and attempt, $5 how many
-- long
select r.id as "recipientId", r.row, r.name, r.input, a.*
from carillon.recipients r
cross join lateral (select t.* from carillon.tries t where t."ofRecipient" = r.id offset 0) a
where r.campaign_id = $1 and (r.row, r.id) >= ($2, $3) and ((r.row, r.id) > ($2, $3) or a.id > $4::uuid)
order by r.row, r.id, a.id limit $5

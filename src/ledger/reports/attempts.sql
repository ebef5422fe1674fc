-- A campaign's attempts, those of one person after each other, a page at a time: see carillon.attempts_after.
-- $1 campaign, $2 $3 after this recipient and attempt, $4 how many
-- long
select r.id as "recipientId", r.row, r.name, r.input, a.*
from carillon.attempts_after($1, $2, $3, $4) with ordinality as x(recipient, attempt, nth)
cross join lateral (select t.* from carillon.tries t where t.id = x.attempt offset 0) a
cross join lateral (select p.* from carillon.recipients p where p.id = x.recipient offset 0) r
order by x.nth

-- The people with a live attempt, newest first: live attempts are few. $1 states as people see them, $2 before this
-- recipient, $3 how many
select a.recipient_id as id from carillon.attempts a
where carillon.seen_as(a.state) = any ($1::text[]) and a.recipient_id < $2::bigint
order by a.recipient_id desc limit $3

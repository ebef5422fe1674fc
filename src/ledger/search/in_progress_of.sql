-- The people of a campaign with a live attempt, in input order. $1 campaign, $2 states as people see them, $3 $4 after
-- this row and recipient, $5 how many
select r.id, r.row as at from carillon.attempts a
cross join lateral (select x.id, x.row from carillon.recipients x where x.id = a.recipient_id offset 0) r
where a.campaign_id = $1 and carillon.seen_as(a.state) = any ($2::text[]) and (r.row, r.id) > ($3::integer, $4::bigint)
order by r.row, r.id limit $5

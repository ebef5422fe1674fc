-- The people who moved in a span of time, the latest first. $1 before this time, in microseconds, $2 and this recipient,
-- $3 since (null: ever), $4 how many
select p.id, p.at from carillon.people_moved($1, $2, $3, $4) p

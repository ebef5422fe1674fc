-- The people of an attempt or of a call of the service, newest first. $1 call (null: by the attempt), $2 attempt,
-- $3 before this recipient, $4 how many
select p.id from carillon.people_of_call($1, $2::uuid) as p(id) where p.id < $3::bigint order by p.id desc limit $4

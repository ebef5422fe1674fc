-- What happened to a recipient, in order; the latest when there is much of it. $1 recipient, $2 how many
select e.at, e.kind, e.detail, e.attempt from (
  select id, at, kind, detail, attempt_id as attempt from carillon.events
  where recipient_id = $1 order by id desc limit $2
) e order by e.id

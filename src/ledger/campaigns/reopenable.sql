-- People who were done because no more attempts were allowed, and for whom there are some now: how they ended so far,
-- and when the last call did. Not those who were taken off the list.
-- $1 campaign, $2 outcomes with a retry rule, $3 the row and $4 the id after which it begins, $5 how many
-- long
select r.id, r.row, r.place, r.attempts, r.granted, carillon.tries_of(r.id) as tries, e.ended_at as "endedAt"
from carillon.recipients r
join carillon.campaigns c on c.id = r.campaign_id
cross join lateral (
  select x.ended_at from carillon.ended_attempts x where x.recipient_id = r.id and x.outcome is not null
  order by x.number desc limit 1
) e
where r.campaign_id = $1 and r.state = 'done' and r.reason is null and r.erased_at is null and r.outcome = any ($2::text[])
  and r.attempts < greatest(c.max_attempts, r.granted) and (r.row, r.id) > ($3::integer, $4::bigint)
order by r.row, r.id limit $5

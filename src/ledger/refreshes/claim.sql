-- Claims calls of one lane whose records are due to be asked for again, those that have waited longest. A claim lasts a
-- while: if its process dies, another one claims the call then. $1 lane, $2 how many, $3 seconds
with due as (
  select r.attempt_id from carillon.refreshes r
  where r.lane_id = $1 and r.due_at <= now()
  order by r.due_at limit $2 for update skip locked
), taken as (
  update carillon.refreshes r set due_at = now() + make_interval(secs => $3)
  from due d where r.attempt_id = d.attempt_id
  returning r.attempt_id, r.tries, r.fields
)
select t.attempt_id as id, t.tries, t.fields, e.call_id as "callId", e.phone, e.caller, e.outcome, e."optOut"
from taken t left join lateral (
  select x.call_id, x.phone, x.caller, x.outcome,
    (select c.terms -> 'optOut' from carillon.campaigns c where c.id = x.campaign_id) as "optOut"
  from carillon.ended_attempts x where x.id = t.attempt_id offset 0
) e on true

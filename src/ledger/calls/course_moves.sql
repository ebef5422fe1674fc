-- What its own columns do not show of an attempt: earlier plans of the same try that were taken back, earlier openings,
-- moves back, what people did. $1 attempt
select h.at, h.kind, h.detail
from carillon.all_attempts a
cross join lateral (
  select x.at, x.kind, x.detail from carillon.history x
  where x.recipient_id = a.recipient_id and x.attempt_id = a.id
    and (x.kind <> 'dialing' or coalesce(a.was, a.state) in ('planned', 'parked') or x.at <> a.dialing_at) offset 0
) h
where a.id = $1
union all
select w.ended_at, 'waited', w.why
from carillon.all_attempts a
cross join lateral (
  select e.ended_at, coalesce(e.detail, e.reason) as why from carillon.ended_attempts e
  where e.recipient_id = a.recipient_id and e.number = a.number and e.id <> a.id and e.state = 'dropped'
    and e.was in ('planned', 'parked') and e.ended_at <= a.planned_at
  order by e.ended_at desc limit 20 offset 0
) w
where a.id = $1
union all
select u.asked_at, 'hang-up', coalesce(u.detail, u.outcome) from carillon.hang_ups u where u.attempt_id = $1
order by at

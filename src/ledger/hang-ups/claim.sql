-- Claims calls that are to be hung up on one of these lanes. A claim lasts a while: if its process dies, another one
-- claims the call then. A call that ended meanwhile, or was never made, needs nothing more.
-- $1 lanes, $2 how many, $3 seconds
with due as (
  select h.attempt_id, a.state, a.lane_id, a.call_id, a.phone, a.caller
  from carillon.hang_ups h
  left join lateral (
    select x.state, x.lane_id, x.call_id, x.phone, x.caller from carillon.attempts x where x.id = h.attempt_id offset 0
  ) a on true
  where h.outcome is null and h.due_at <= now() and (a.state is null or a.lane_id = any ($1::integer[]))
  order by h.due_at limit $2 for update of h skip locked
), over as (
  update carillon.hang_ups h
  set outcome = case when exists (
    select from carillon.ended_attempts e where e.id = h.attempt_id and e.state = 'done') then 'ended' else 'no-call' end
  from due d where h.attempt_id = d.attempt_id and (d.state is null or d.state in ('planned', 'parked'))
), later as (
  -- A create that has its answer soon, or an unknown one whose call may yet be found.
  update carillon.hang_ups h set due_at = clock_timestamp() + case when d.state = 'dialing' then interval '200 ms' else interval '15 s' end
  from due d where h.attempt_id = d.attempt_id and d.state in ('dialing', 'unknown') and d.call_id is null
), taken as (
  update carillon.hang_ups h set tries = h.tries + 1, due_at = clock_timestamp() + make_interval(secs => $3)
  from due d where h.attempt_id = d.attempt_id and d.call_id is not null and d.state in ('placed', 'unknown')
  returning h.attempt_id as id, h.tries, d.lane_id as "laneId", d.call_id as "callId", d.phone, d.caller
)
select * from taken

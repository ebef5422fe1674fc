-- name: ask
-- Live calls that are to be hung up: of campaigns, or of one attempt. A call that is being created is hung up when it
-- exists. A hang-up that the service refused is requested again. Returns the attempts, including those already
-- requested. @campaigns (null: any); @attempt (null: any)
with wanted as (
  select a.id from carillon.attempts a
  where (@campaigns::uuid[] is null or a.campaign_id = any (@campaigns::uuid[])) and (@attempt::uuid is null
    or a.id = @attempt::uuid)
    and carillon.may_hang_up(a.state, a.call_id)
), made as (
  insert into carillon.hang_ups as h (attempt_id) select w.id from wanted w order by w.id
  on conflict (attempt_id) do update set outcome = null, detail = null, due_at = now() where h.outcome = 'refused'
)
select id from wanted

-- name: claim
-- Claims calls to be hung up on these lanes. A claim lasts a while: if its process dies, another one then claims the
-- call. A call that ended meanwhile, or was never made, needs nothing more.
with due as (
  select h.attempt_id, a.state, a.lane_id, a.call_id, a.phone, a.caller, a.agent, a.handle
  from carillon.hang_ups h
  left join lateral (
    select x.state, x.lane_id, x.call_id, x.phone, x.caller, x.agent, x.handle from carillon.attempts x where x.id = h.attempt_id offset 0
  ) a on true
  where h.outcome is null and h.due_at <= now() and (a.state is null or a.lane_id = any (@lanes::integer[]))
  order by h.due_at limit @most for update of h skip locked
), over as (
  update carillon.hang_ups h
  set outcome = case when exists (
    select from carillon.ended_attempts e where e.id = h.attempt_id and e.state = 'done') then 'ended' else 'no-call' end
  from due d where h.attempt_id = d.attempt_id and (d.state is null or d.state in ('planned', 'parked'))
), later as (
  -- A create is answered soon; an unknown attempt's call may yet be found.
  update carillon.hang_ups h set due_at = clock_timestamp() + case when d.state = 'dialing' then interval '200 ms' else interval '15 s' end
  from due d where h.attempt_id = d.attempt_id and d.state in ('dialing', 'unknown') and d.call_id is null
), taken as (
  update carillon.hang_ups h set tries = h.tries + 1, due_at = clock_timestamp() + make_interval(secs => @seconds)
  from due d where h.attempt_id = d.attempt_id and d.call_id is not null and d.state in ('placed', 'unknown')
  returning h.attempt_id as id, h.tries, d.lane_id as "laneId", d.call_id as "callId", d.phone, d.caller,
    d.agent as "agentId", d.handle
)
select * from taken

-- name: tell
-- Notes the result of a request to hang up: an outcome, or when it is tried again. An outcome is noted in the person's
-- history. @outcome (null: it is tried again); @detail: the service's words; @seconds: until then
with told as (
  update carillon.hang_ups h
  set outcome = @outcome, detail = @detail, due_at = case when @outcome::text is null
    then clock_timestamp() + make_interval(secs => @seconds) else h.due_at end
  where h.attempt_id = @attemptId and h.outcome is null
  returning h.attempt_id
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select a.recipient_id, t.attempt_id, 'hang-up', concat_ws(': ', @outcome::text, @detail::text)
  from told t cross join lateral (
    select x.recipient_id from carillon.all_attempts x where x.id = t.attempt_id offset 0
  ) a
  where @outcome::text is not null
)
select attempt_id as id from told

-- name: outcomes
-- The outcomes so far. @ids: attempts
select h.attempt_id as id, h.outcome, h.detail
from unnest(@ids::uuid[]) as want(id)
cross join lateral (select x.* from carillon.hang_ups x where x.attempt_id = want.id offset 0) h

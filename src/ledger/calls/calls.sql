-- name: add
-- People to call, each added to its campaign of single calls: one transaction for many requests that came together. A
-- person is not added when the campaign does not dial, the phone is suppressed, or the same request was here before: of
-- two at once, the second waits for the first. A rule that holds the phone holds the row from the start, so that the
-- answer says so. A call that somebody waits for names its lane: unless a rule holds it, it is planned in the same
-- statement, so that no planner comes in between and the sender knows its attempt.
-- @calls: [{campaign, phone, name, place, variables, override, lane (null: the planner chooses), ordered_by (whatever
-- the contact rules say), traceparent, change (for the activity), request (its reference, if any), asked (a digest of
-- what it asks for)}], in whose order the answers are
-- wakes
with wanted as materialized (
  select e.nth, w.* from jsonb_array_elements(@calls::jsonb) with ordinality as e(call, nth)
  cross join lateral jsonb_to_record(e.call) as w(campaign uuid, phone text, name text, place text, variables jsonb,
    override jsonb, lane integer, ordered_by text, traceparent text, change jsonb, request text, asked text)
), campaign as materialized (
  select c.id, c.state, c.terms, c.ignores_policy from carillon.campaigns c
  where c.id = any (array(select w.campaign from wanted w)) order by c.id for share
), found as materialized (
  -- A limit makes each of these a lookup by key.
  select w.nth, w.campaign, w.phone, w.lane, c.state, b.yes is not null as barred, l.yes is not null as live, c.ignores_policy
  from wanted w
  left join campaign c on c.id = w.campaign
  left join lateral (select true as yes from carillon.barring(w.phone, w.campaign) limit 1) b on true
  left join lateral (select true as yes from carillon.live_phones x where x.phone = w.phone limit 1) l on true
), judged as (
  select array_agg(f.nth) as nths, array_agg(f.phone) as phones from found f
  where not f.ignores_policy and (not f.live or f.lane is not null)
), hold as materialized (
  select j.nths[h.nth] as nth, p.version, h.rule, h.until
  from (select * from carillon.policies x order by x.version desc limit 1) p
  join judged j on j.phones is not null
  cross join lateral carillon.judge_phones(j.phones, null, clock_timestamp(), p.caps, p.gap, p.conversation) h
), person as materialized (
  select f.nth, nextval('carillon.recipients_id_seq') as id from found f where f.state = 'running' and not f.barred
), kept as (
  insert into carillon.idempotent_requests (ref, asked, made)
  select w.request, w.asked, jsonb_build_object('call', p.id)
  from person p join wanted w on w.nth = p.nth where w.request is not null order by w.request
  on conflict (ref) do nothing
  returning (made ->> 'call')::bigint as id
), made as (
  insert into carillon.recipients (id, campaign_id, row, phone, ref, name, place, input, variables, override, held, held_under,
    traceparent, next_at, state)
  overriding system value
  select p.id, w.campaign, m.row + row_number() over (partition by w.campaign order by p.nth), w.phone,
    gen_random_uuid()::text, w.name, w.place, w.variables, w.variables, w.override, h.rule, h.version,
    w.traceparent,     coalesce(h.until, '-infinity'), case when w.lane is not null and h.nth is null then 'live' else 'waiting' end
  from person p
  join wanted w on w.nth = p.nth
  join (
    select c.id, x.row from campaign c cross join lateral (
      select coalesce(max(r.row), 0) as row from carillon.recipients r where r.campaign_id = c.id offset 0
    ) x
  ) m on m.id = w.campaign
  left join hold h on h.nth = p.nth
  where w.request is null or p.id in (select r.id from kept r)
  returning id, campaign_id, phone, place, next_at, held, state
), planned as (
  insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, caller)
  select carillon.new_id(), m.campaign_id, m.id, w.lane, m.phone, 1, c.terms -> 'callers' -> 0
  from made m join person p on p.id = m.id join wanted w on w.nth = p.nth join campaign c on c.id = m.campaign_id
  where m.state = 'live'
  returning id, recipient_id
), noted as (
  insert into carillon.history (recipient_id, kind, detail)
  select m.id, 'policy-ignored', w.ordered_by
  from made m join person p on p.id = m.id join wanted w on w.nth = p.nth where w.ordered_by is not null
), recorded as (
  insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.token_id, c.role, c.address, c.verb, m.id::text, m.campaign_id, c.before, c.after
  from made m join person p on p.id = m.id join wanted w on w.nth = p.nth
  cross join jsonb_populate_record(null::carillon.activity, w.change) c
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select m.campaign_id, m.state, count(*) from made m group by m.campaign_id, m.state
), placed as (
  insert into carillon.campaign_places (campaign_id, place)
  select distinct m.campaign_id, m.place from made m order by 1, 2
  on conflict do nothing
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select m.campaign_id, m.place, carillon.due_step(m.next_at), 0, coalesce(m.held, ''), count(*) from made m where m.state = 'waiting'
  group by 1, 2, 3, 4, 5
)
select f.state as campaign, f.barred as suppressed, m.id, a.id as attempt
from found f left join person p on p.nth = f.nth left join made m on m.id = p.id left join planned a on a.recipient_id = m.id
order by f.nth

-- name: columns
-- New variables become columns of the results; writes only when there are new ones.
update carillon.campaigns c
set columns = c.columns || array(select n from unnest(@names::text[]) with ordinality as u(n, i)
  where n <> all (c.columns) order by i)
where c.id = @campaignId and not (@names::text[] <@ c.columns)

-- name: find
-- Recipients with the result, the latest attempt, and what its campaign says about waiting. @ids: recipients
select x.* from unnest(@ids::bigint[]) as w(id)
cross join lateral (
  select r.*, c.id as "campaignId", c.name as campaign, c.base_url as "baseUrl", c.state as "campaignState",
    c.kind as "campaignKind", c.driver, c.times,
    carillon.run_lives(c.run_seen_at) as "runLives", a.id as attempt, a.state as "attemptState",
    a.call_id as "latestCallId", a.lane_id as "laneId", a.caller, k.name as key, e.record,
    e.transcript, e.structured_data, e.metadata
  from carillon.results r
  join carillon.campaigns c on c.id = r.campaign_id
  left join lateral (
    select y.id, y.state, y.call_id, y.lane_id, y.caller from carillon.all_attempts y where y.recipient_id = r.id
    order by y.number desc, y.planned_at desc limit 1
  ) a on true
  left join carillon.lanes k on k.id = a.lane_id
  left join lateral (
    select z.record, z.transcript, z.structured_data, z.metadata from carillon.ended_attempts z where z.id = r.said offset 0
  ) e on true
  where r.id = w.id offset 0
) x

-- name: locate
-- The recipient of an attempt, by the attempt's id or by the service's id of the call. @ref: the id as text
select x.recipient_id as recipient, x.call_id as "callId", x.lane_id as "laneId"
from carillon.all_attempts x join carillon.lanes l on l.id = x.lane_id
where x.call_id = @ref and l.base_url = @baseUrl
union all
select x.recipient_id, x.call_id, x.lane_id from carillon.all_attempts x
where x.id = case when @ref ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then @ref::uuid end
limit 1

-- name: withdraw
-- A single call that waits again is withdrawn, so that it is not made later.
update carillon.recipients r set state = carillon.end_state(r.outcome), reason = @why, updated_at = now()
where r.id = @recipientId and r.state = 'waiting'
returning r.id

-- name: recording
-- The link to the recording of an attempt's call.
select a.recording_url as link from carillon.ended_attempts a where a.id = @attemptId

-- name: course
-- One attempt with its person and campaign, and how the attempt before it ended; includes a withdrawn plan.
select r.id as "recipientId", r.row, r.name, r.input, c.name as campaign, a.id, a.number, a.state, a.outcome, a.agent,
  l.name as key, a.caller, a.phone, a.call_id as "callId", a.provider_call_sid, a.status, a.duration,
  a.cost, a.planned_at as "plannedAt",
  -- A withdrawn plan still has the time of its last opening.
  case when coalesce(a.was, a.state) not in ('planned', 'parked') then a.dialing_at end as "dialedAt",
  coalesce(a.call_started_at, a.placed_at) as "startedAt", coalesce(a.call_ended_at, a.ended_at) as "endedAt",
  a.direction, a.contact_id, a.transcript, a.recording_url,
  a.structured_data, a.metadata, a.record, a.record ->> 'org_id' as org_id,
  a.record ->> 'agent_id' as agent_id, a.ended_reason, a.currency,
  case when a.phone <> '' then coalesce(a.detail, a.reason) end as error,
  a.requests, a.polls, a.next_poll_at as "nextPollAt", a.placed_at as "placedAt", a.ended_at as "overAt",
  p.state as "lastState", p.outcome as "lastOutcome", p.reason as "lastReason", p.ended_at as "lastAt"
from carillon.all_attempts a
join carillon.lanes l on l.id = a.lane_id
cross join lateral (select x.* from carillon.recipients x where x.id = a.recipient_id offset 0) r
cross join lateral (select x.name from carillon.campaigns x where x.id = a.campaign_id and x.deleted_at is null offset 0) c
left join lateral (
  select e.state, e.outcome, e.reason, e.ended_at from carillon.ended_attempts e
  where e.recipient_id = a.recipient_id and e.ended_at <= a.planned_at
    and not (e.state = 'dropped' and e.was in ('planned', 'parked'))
  order by e.ended_at desc limit 1
) p on true
where a.id = @attemptId

-- name: course_moves
-- What an attempt's own columns do not show: earlier plans of the same try that were taken back, earlier openings,
-- moves back, what people did.
select h.at, h.kind, h.detail
from carillon.all_attempts a
cross join lateral (
  select x.at, x.kind, x.detail from carillon.history x
  where x.recipient_id = a.recipient_id and x.attempt_id = a.id
    and (x.kind <> 'dialing' or coalesce(a.was, a.state) in ('planned', 'parked') or x.at <> a.dialing_at) offset 0
) h
where a.id = @attemptId
union all
select w.ended_at, 'waited', w.why
from carillon.all_attempts a
cross join lateral (
  select e.ended_at, coalesce(e.detail, e.reason) as why from carillon.ended_attempts e
  where e.recipient_id = a.recipient_id and e.number = a.number and e.id <> a.id and e.state = 'dropped'
    and e.was in ('planned', 'parked') and e.ended_at <= a.planned_at
  order by e.ended_at desc limit 20 offset 0
) w
where a.id = @attemptId
union all
select u.asked_at, 'hang-up', coalesce(u.detail, u.outcome) from carillon.hang_ups u where u.attempt_id = @attemptId
order by at

-- name: course_deliveries
-- Deliveries of an attempt's events to webhooks, among the latest that are kept for each address. Few are kept, and
-- each names its event, whose number is at its end. @since: from when
select d.at, d.type, w.url, d.try, d.delivered, d.status, d.ms, d.error
from carillon.webhooks w
cross join lateral (
  select x.*, ('x' || lpad(substr(x.event, 17, 12), 16, '0'))::bit(64)::bigint as number
  from carillon.webhook_deliveries x
  where x.webhook_id = w.id and x.at >= @since and (x.type like 'attempt.%' or x.type like 'recipient.%') offset 0
) d
cross join lateral (
  select e.* from carillon.events e where e.last >= d.number order by e.last limit 1
) e
where e.first <= d.number and e.type = d.type
  and case when e.attempts is not null then e.attempts[d.number - e.first + 1] = @attemptId
    else e.recipients[d.number - e.first + 1] = @recipientId end
order by d.at limit 100

-- name: history
-- A recipient's history, in order, limited to the latest: what its attempts show, and what the history adds.
with tries as (
  select a.id, a.planned_at, case when a.state in ('dialing', 'placed', 'unknown') then a.dialing_at end as dialing_at,
    a.placed_at, null::timestamptz as ended_at, null as state, null as detail
  from carillon.attempts a where a.recipient_id = @recipientId
  union all
  select e.id, e.planned_at, case when e.was in ('dialing', 'placed', 'unknown') then e.dialing_at end, e.placed_at,
    e.ended_at, e.state, coalesce(e.outcome, case when e.state <> 'done' then coalesce(e.detail, e.reason) end)
  from carillon.ended_attempts e where e.recipient_id = @recipientId
)
select x.at, x.kind, x.detail, x.attempt from (
  select * from (
    select t.planned_at as at, 'planned' as kind, null as detail, t.id as attempt, 1 as place from tries t
    union all
    select t.dialing_at, 'dialing', null, t.id, 2 from tries t
    where t.dialing_at is not null and not exists (select from carillon.history h
      where h.recipient_id = @recipientId and h.at = t.dialing_at and h.attempt_id = t.id and h.kind = 'dialing')
    union all
    select t.placed_at, 'placed', null, t.id, 3 from tries t where t.placed_at is not null
    union all
    select h.at, h.kind, h.detail, h.attempt_id, 4 from carillon.history h where h.recipient_id = @recipientId
    union all
    select t.ended_at, t.state, t.detail, t.id, 5 from tries t where t.ended_at is not null
  ) y order by y.at desc, y.place desc limit @most
) x order by x.at, x.place

-- name: latest_call_id
-- The service's id of a recent call of a key.
select x.call_id as id from (
  (select a.call_id, a.dialing_at as at from carillon.attempts a where a.lane_id = @laneId and a.call_id is not null
   order by a.dialing_at desc limit 1)
  union all
  (select e.call_id, e.dialing_at from (
    select r.id from carillon.recipients r order by r.updated_at desc, r.id desc limit 100) r
   cross join lateral (select x.* from carillon.ended_attempts x where x.recipient_id = r.id offset 0) e
   where e.lane_id = @laneId and e.call_id is not null order by e.dialing_at desc limit 1)
) x order by x.at desc limit 1

-- name: live
-- Calls in progress, longest first, and those whose create is under way, with their people. There are few live
-- attempts, so all of them are read. @campaign (null: all); @key (null: all)
with shown as (
  select a.*, l.name as key from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
  where a.state in ('dialing', 'placed') and l.base_url = @baseUrl
    and (@campaign::uuid is null or a.campaign_id = @campaign) and (@key::text is null or l.name = @key)
  order by a.dialing_at, a.id limit @most
)
select x.id, x.state, x.status, x.dialing_at as "dialedAt", x.placed_at as "placedAt", x.agent, x.caller, x.number, x.key,
  x.call_id as "callId", x.campaign_id as "campaignId", c.name as campaign, r.id as "recipientId", r.row, r.phone, r.name
from shown x
join carillon.campaigns c on c.id = x.campaign_id
join carillon.recipients r on r.id = x.recipient_id
order by x.dialing_at, x.id

-- name: live_counts
-- How many calls are in progress, by the service's word for their status. @campaign (null: all); @key (null: all)
select a.state, coalesce(a.status, '') as status, count(*)::integer as n
from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
where a.state in ('dialing', 'placed') and l.base_url = @baseUrl
  and (@campaign::uuid is null or a.campaign_id = @campaign) and (@key::text is null or l.name = @key)
group by 1, 2

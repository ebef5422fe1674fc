-- name: schedule
-- A page of a campaign's people: their ended calls with incomplete records are asked for again. Returns how many calls,
-- and the page's last row and id. @wanted: what a complete record holds, by outcome; @made: tries that count as made;
-- @afterRow, @afterId: after this row and id; @most: how many people
with people as (
  select r.id, r.row, r.erased_at from carillon.recipients r
  where r.campaign_id = @campaignId and (r.row, r.id) > (@afterRow::integer, @afterId::bigint)
  order by r.row, r.id limit @most
), lacking as (
  select e.id, e.lane_id, f.fields
  from people p
  join lateral (
    select x.id, x.lane_id, x.outcome, x.cost, x.transcript is null as no_transcript, x.recording_url, x.structured_data
    from carillon.ended_attempts x
    where x.recipient_id = p.id and p.erased_at is null and x.state = 'done' and x.call_id is not null offset 0
  ) e on true
  cross join lateral (
    select array_agg(w.field) as fields
    from jsonb_array_elements_text(@wanted::jsonb -> e.outcome) as w(field)
    where case w.field when 'cost' then e.cost is null or (e.cost = 0 and e.outcome = 'answered') when 'transcript' then e.no_transcript
      when 'recording' then e.recording_url is null when 'structured_data' then e.structured_data is null end
  ) f
  where f.fields is not null
), made as (
  insert into carillon.refreshes as r (attempt_id, lane_id, due_at, tries, fields)
  select l.id, l.lane_id, now(), @made::smallint, l.fields from lacking l order by l.id
  on conflict (attempt_id) do update set due_at = excluded.due_at, fields = excluded.fields
  returning r.attempt_id
)
select (select count(*)::integer from made) as scheduled, p.row, p.id from people p order by p.row desc, p.id desc limit 1

-- name: claim
-- Claims calls of some lanes whose records are due to be asked for again, the longest-waiting of each. A claim lasts a
-- while: if its process dies, another one then claims the call. @mosts: how many of each
with due as (
  select d.attempt_id from unnest(@lanes::integer[], @mosts::integer[]) as l(id, most)
  cross join lateral (
    select r.attempt_id from carillon.refreshes r
    where r.lane_id = l.id and r.due_at <= now()
    order by r.due_at limit l.most for update skip locked
  ) d
), taken as (
  update carillon.refreshes r set due_at = now() + make_interval(secs => @seconds)
  from due d where r.attempt_id = d.attempt_id
  returning r.attempt_id, r.lane_id, r.tries, r.fields
)
select t.attempt_id as id, t.lane_id as "laneId", t.tries, t.fields, e.call_id as "callId", e.phone, e.caller, e.agent as "agentId",
  e.outcome, e."campaignId", e."optOut", e.callback
from taken t left join lateral (
  select x.call_id, x.phone, x.caller, x.agent, x.outcome, x.campaign_id as "campaignId", c.terms -> 'optOut' as "optOut",
    case when c.terms ->> 'callbackAt' is not null then (
      select jsonb_build_object('path', c.terms -> 'callbackAt', 'timezone', c.terms -> 'timezone', 'times', c.times,
        'place', r.place, 'callbacks', r.callbacks)
      from carillon.recipients r where r.id = x.recipient_id) end as callback
  from carillon.ended_attempts x join carillon.campaigns c on c.id = x.campaign_id where x.id = t.attempt_id offset 0
) e on true

-- name: keep
-- Adds to ended calls what the service reported about them, and any further cost to their campaigns. The verdict stays
-- as it is, except for a person who asked, on their latest call, to be called back; nothing known is removed; an
-- outcome changes only if the service had not decided it. A record says it each time, and it counts once.
-- @moves: [{id, asked, outcome, duration, cost, transcript, recording_url, structured_data, provider_call_sid,
-- direction, contact_id, metadata, record, next, tries, fields, over, optOut: said, unsaid or absent, callbackAt,
-- callbackNote}] asked: requests that left; next: seconds until it is asked for again, as often as `tries` and for
-- `fields` (null: as it was planned); over: it is asked for no more
with answer as (
  select * from jsonb_to_recordset(@moves::jsonb) as x(
    id uuid, asked integer, outcome text, duration double precision, cost double precision, transcript text, recording_url text,
    structured_data jsonb, provider_call_sid text, direction text, contact_id text, metadata jsonb, record jsonb, ended_reason text, currency text,
    next double precision, tries smallint, fields text[], over boolean, "callbackAt" timestamptz, "callbackNote" text)
  order by id
), before as (
  select x.*, e.campaign_id, e.phone, e.recipient_id, e.number, e.known_cost, e.known_outcome,
    (x.cost is not null and x.cost is distinct from e.known_cost)
    or (x.transcript is not null and x.transcript is distinct from e.transcript)
    or (x.recording_url is not null and x.recording_url is distinct from e.recording_url)
    or (x.structured_data is not null and x.structured_data is distinct from e.structured_data)
    or coalesce(x.outcome <> e.known_outcome, false) as is_news
  from answer x
  join lateral (
    select b.campaign_id, b.cost as known_cost, b.phone, b.recipient_id, b.number, b.outcome as known_outcome, b.transcript,
      b.recording_url, b.structured_data
    from carillon.ended_attempts b where b.id = x.id for update
  ) e on true
  -- Erased data stays erased, even if the service was asked before.
  where x.asked > 0 and exists (
    select from carillon.recipients r where r.id = e.recipient_id and r.erased_at is null)
), kept as (
  update carillon.ended_attempts e
  set polls = e.polls + b.asked, outcome = coalesce(b.outcome, e.outcome), duration = coalesce(b.duration, e.duration), cost = coalesce(b.cost, e.cost),
    transcript = coalesce(b.transcript, e.transcript), recording_url = coalesce(b.recording_url, e.recording_url),
    structured_data = coalesce(b.structured_data, e.structured_data),
    provider_call_sid = coalesce(b.provider_call_sid, e.provider_call_sid),
    currency = coalesce(b.currency, e.currency), ended_reason = coalesce(e.ended_reason, b.ended_reason),
    direction = coalesce(b.direction, e.direction), contact_id = coalesce(b.contact_id, e.contact_id),
    metadata = coalesce(b.metadata, e.metadata), record = coalesce(b.record, e.record)
  from before b where e.id = b.id
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select campaign_id, 'polls', sum(asked) from before group by 1
  union all
  select campaign_id, 'cost', sum(cost - coalesce(known_cost, 0)) from before
  where cost is not null and cost is distinct from known_cost group by 1
), changed as (
  select b.* from before b where b.outcome <> b.known_outcome
), recounted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select x.campaign_id, x.name, sum(x.n) from (
    select c.campaign_id, t.name, t.n from changed c
    cross join lateral (select c.outcome = 'answered' as is_now, c.known_outcome = 'answered' as was) a
    cross join lateral (values ('answered', a.is_now::integer - a.was::integer),
      -- People are reached once any of their calls was answered.
      ('reached', case when not exists (select from carillon.ended_attempts o where o.recipient_id = c.recipient_id
        and o.id <> c.id and o.state = 'done' and o.outcome = 'answered') then a.is_now::integer - a.was::integer end)) t(name, n)
  ) x where x.n <> 0 group by 1, 2
), asked as (
  select b.* from before b where b."callbackNote" is not null and not exists (
    select from carillon.history h where h.recipient_id = b.recipient_id and h.attempt_id = b.id and h.kind = 'callback')
), latest as (
  -- The outcome and the wish of one person in one list, because a statement moves a row once.
  select r.id, case when r.outcome = b.known_outcome then b.outcome end as outcome,
    case when r.state in ('waiting', 'done') and r.reason is null and c.state <> 'canceled'
        and exists (select from asked a where a.id = b.id)
        and not exists (select from carillon.barring(b.phone, r.campaign_id))
      then b."callbackAt" end as callback_at,
    -- The number on which it was asked for, if the person has turned to another since.
    case when r.several then b.phone else r.phone end as phone
  from before b join carillon.recipients r on r.id = b.recipient_id join carillon.campaigns c on c.id = b.campaign_id
  where (b.outcome <> b.known_outcome or b."callbackAt" is not null) and not exists (
    select from carillon.ended_attempts o where o.recipient_id = b.recipient_id and o.state = 'done' and o.number > b.number)
), people as (
  update carillon.recipients r
  set outcome = coalesce(l.outcome, r.outcome), updated_at = now(),
    state = case when l.callback_at is not null then 'waiting' else r.state end,
    phone = case when l.callback_at is null then r.phone else l.phone end,
    place = case when l.callback_at is null then r.place else carillon.place_of(r, l.phone) end,
    next_at = coalesce(l.callback_at, r.next_at), callback_at = coalesce(l.callback_at, r.callback_at),
    callbacks = r.callbacks + (l.callback_at is not null)::integer,
    held = case when l.callback_at is null then r.held end, held_under = case when l.callback_at is null then r.held_under end,
    retry_at = case when l.callback_at is null then r.retry_at end
  from latest l where r.id = l.id and (l.outcome is not null or l.callback_at is not null)
), phones as (
  update carillon.phone_calls p set answered = c.outcome = 'answered'
  from changed c where p.phone = c.phone and p.attempt_id = c.id
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select c.recipient_id, c.id, 'updated', format('%s, and no longer %s, as the service told later', c.outcome, c.known_outcome)
  from changed c
  union all
  select a.recipient_id, a.id, 'callback', a."callbackNote" from asked a
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.updated', b.campaign_id, array_agg(b.recipient_id order by b.id), array_agg(b.id order by b.id)
  from before b where b.is_news group by b.campaign_id
), later as (
  update carillon.refreshes r
  set due_at = now() + make_interval(secs => x.next), tries = coalesce(x.tries, r.tries), fields = coalesce(x.fields, r.fields)
  from answer x where r.attempt_id = x.id and x.next is not null and not x.over
), over as (
  delete from carillon.refreshes r using answer x where r.attempt_id = x.id and x.over
), heard as materialized (
  select carillon.hear_opt_outs(array_agg(b.campaign_id), array_agg(b.phone), array_agg(o."optOut"), array_agg(b.recipient_id))
  from jsonb_to_recordset(@moves::jsonb) as o(id uuid, "optOut" text) join before b on b.id = o.id
  where o."optOut" is not null
)
select id from answer, (select count(*) from heard) h

-- name: coming
-- Whether a call of a campaign is still to be asked for the first time for fields that its service has been seen to add
-- late.
select exists (
  select from carillon.refreshes r
  join carillon.ended_attempts e on e.id = r.attempt_id
  join carillon.late_fields f on f.lane_id = r.lane_id and f.outcome = e.outcome and f.field = any (r.fields)
  where e.campaign_id = @campaignId and r.tries = 0 and f.late > 0) as coming

-- name: known
-- The counts of late fields on the lanes of a service.
select f.lane_id as "laneId", f.outcome, f.field, f.late, f.vain
from carillon.late_fields f join carillon.lanes l on l.id = f.lane_id
where l.base_url = @baseUrl

-- name: learn
-- Adds new counts of late fields. @late: came late; @vain: never came
insert into carillon.late_fields as f (lane_id, outcome, field, late, vain)
select @laneId::integer, x.outcome, x.field, x.late, x.vain
from unnest(@outcomes::text[], @fields::text[], @late::integer[], @vain::integer[]) as x(outcome, field, late, vain)
order by x.outcome, x.field
on conflict (lane_id, outcome, field) do update set late = f.late + excluded.late, vain = f.vain + excluded.vain

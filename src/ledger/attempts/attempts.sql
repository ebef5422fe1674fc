-- name: plan
-- Claims due people, over several campaigns by their turns: see carillon.plan_attempts. @requests: [{id, limit, due,
-- queued, places}]; @headroom: the lane's headroom; @lead: how far ahead of campaigns that others plan
select attempt as id, campaign as "campaignId" from carillon.plan_attempts(@laneId, @requests::jsonb, @headroom, @lead)

-- name: put_off
-- Puts off the person whom the next plan would take: see carillon.put_off. @places: open places
select carillon.put_off(@laneId, @campaignId, @places) as person

-- name: jobs
-- Attempts that have a job, oldest plan first: a call to make, or a call to poll. There are few live attempts. A search
-- matches by any of its forms; without one, everything matches. @key (null: any); @place, @id: after this plan and
-- attempt; @searches: whether something is looked for; @call: call id
select a.id, a.planned_at::text as place, a.state, a.lane_id as "laneId", l.name as key, l.state as "laneState",
  l.reason as "laneReason", l.probe_at as "probeAt", a.number, a.planned_at as "plannedAt",
  case when a.state <> 'planned' then a.dialing_at end as "dialedAt", a.next_poll_at as "nextPollAt", a.call_id as "callId",
  a.status, a.requests, a.polls, a.recipient_id as "recipientId", a.phone, r.row, r.name, r.place as "where",
  c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives",
  a.state = 'planned' and carillon.others_have(carillon.kept_by(a.phone, a.keeps), a.id) as "inUse"
from (
  select x.* from carillon.attempts x
  join carillon.lanes y on y.id = x.lane_id and y.base_url = @baseUrl
  where x.state = any (@states::text[]) and (@key::text is null or y.name = @key)
    and (@place::timestamptz is null or (x.planned_at, x.id) > (@place, @id::uuid))
    and (not @searches::boolean or x.id = @attemptId::uuid or x.campaign_id = @campaignId::uuid
      or x.phone = any (@phones::text[]) or x.call_id = @call)
  order by x.planned_at, x.id limit @most
) a
join carillon.lanes l on l.id = a.lane_id
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
order by a.planned_at, a.id

-- name: load
-- Everything that a station must know of its live attempts, and the ledger's time, by which it judges the hours. Each
-- row is looked up by key, as in every verb: a plan made while the tables were small must not scan them when they have
-- grown. Orders are long, so each campaign's comes once, with the first of its attempts.
-- @ids: attempt ids, as JSON: Postgres knows an array's length, and would plan the statement each time
select x.*, case when row_number() over (partition by x."campaignId") = 1 then (
  select c.terms - 'override' from carillon.campaigns c where c.id = x."campaignId") end as "order"
from jsonb_array_elements_text(@ids) as want(id)
cross join lateral (
  select a.id, a.state, a.lane_id as "laneId", a.number, a.caller, a.call_id as "callId", a.handle, a.polls, a.status, a.opens,
    a.placed_at as "placedAt", a.next_poll_at as "nextPollAt", a.deadline_at as "deadlineAt",
    l.state as "laneState", l.losses as "laneLosses", l.refused_since is not null as "laneRefused", l.probe_attempt = a.id as probe,
    case when a.state in ('planned', 'parked') or a.agent is null
      then coalesce(case when r.callback_at is not null and r.agent is null
          then carillon.asked_agent(r.id, c.terms) end,
        carillon.agent_of(r.agent, c.terms, c.id, r.phone)) else a.agent end as "agentId",
    r.traceparent,
    -- Needed only for the create, and possibly long.
    case when a.state = 'planned' then coalesce(r.override, nullif(c.terms -> 'override', 'null')) end as override,
    a.recipient_id as "recipientId", a.phone, a.keeps, r.name, r.place,
    carillon.variables_of(r.input, r.variables) as variables,
    r.attempts + case when a.state in ('placed', 'unknown') then 1 else 0 end as attempts, r.granted, r.callbacks,
    case when r.attempts > 0 then carillon.tries_of(r.id) else '[]' end as earlier,
    r.several and carillon.has_next_phone(r.id, c.id, r.ref, a.phone) as "hasNextPhone",
    a.state = 'planned' and case when a.keeps is null then exists (
        select from carillon.live_phones p where p.phone = a.phone and p.attempt_id <> a.id offset 0)
      else carillon.others_have(a.keeps, a.id) end as "inUse",
    c.id as "campaignId", c.name as campaign, c.kind, c.state as "campaignState", c.driver, c.run_id as "runId",
    carillon.run_lives(c.run_seen_at) as "runLives", c.revision, c.proved,
    c.ignores_policy as "ignoresPolicy", clock_timestamp() as at
  from carillon.attempts a
  join carillon.recipients r on r.id = a.recipient_id
  join carillon.campaigns c on c.id = a.campaign_id
  join carillon.lanes l on l.id = a.lane_id
  where a.id = want.id::uuid
  offset 0
) x

-- name: open
-- Admits and claims: see carillon.open_attempts.
-- @openings: [{id, revision, opens, ticket, policy, validUntil, hash}]; @dialer: who dials; @runId (null: a background
-- worker); @laneCap: the lane's cap; @timeoutMs: how long the request may take, in ms; @keepsPhoneMs: how long past its
-- expiry the attempt keeps its phone, in ms; @journal: the dialer's journal (null: it keeps none)
select attempt, verdict from carillon.open_attempts(@openings::jsonb, @dialer, @runId, @laneCap, @timeoutMs,
  @keepsPhoneMs, @journal)

-- name: give_back
-- Plans that cannot be dialled now: the people wait again in their old places, and the lane has room for others.
-- @ids: attempts
select id from carillon.take_back(@ids::uuid[], '{planned}', @why, null, null)

-- name: hold
-- Plans that the contact rules hold: the people wait until the rule ends, so that nobody waits behind them. A person
-- whom the rules allow after all waits for the next round. @ids: attempts
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), asked as (
  select array_agg(a.id) as ids, array_agg(a.phone) as phones
  from unnest(@ids::uuid[]) as x(id) join lateral (
    select a.id, a.phone from carillon.attempts a where a.id = x.id and a.state = 'planned' offset 0) a on a.id = x.id
), held as (
  select a.ids[j.nth] as id, p.version, j.rule, j.until
  from policy p cross join asked a cross join lateral carillon.judge_phones(
    a.phones, a.ids, clock_timestamp(), p.caps, p.gap, p.conversation) j
), moved as (
  select e.id, e.recipient_id
  from carillon.end_attempts(@ids::uuid[], '{planned}', 'dropped', 'held', null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    held = h.rule, held_under = h.version, next_at = coalesce(h.until, r.next_at), updated_at = now()
  from moved m left join held h on h.id = m.id
  where r.id = m.recipient_id
)
select id from moved

-- name: asked
-- A poll was answered and the call continues; or the answer was unreadable, and why. A hint that came after the attempt
-- was loaded may be newer than the answer, so the call is polled at its time.
-- @polls: [{id, at, status, nextPollAt, why}] at: when the attempt was loaded
update carillon.attempts a
set polls = a.polls + 1, status = coalesce(x.status, a.status), detail = x.why,
  next_poll_at = case when a.hinted_at > x.at
    then least(x."nextPollAt", greatest(a.hinted_at, clock_timestamp() + interval '50 milliseconds'))
    else x."nextPollAt" end
from (
  select x.*
  from jsonb_to_recordset(@polls::jsonb) as x(id uuid, at timestamptz, status text, "nextPollAt" timestamptz, why text)
  join lateral (
    select a.id from carillon.attempts a where a.id = x.id and a.state = 'placed' for update
  ) b on b.id = x.id
) x
where a.id = x.id
returning a.id, a.next_poll_at as "nextPollAt"

-- name: hint
-- A hint that a call may have ended: it is polled now, or once the last hint is old enough. Returns nothing when the
-- call is not in progress, or its next poll is no later anyway; a poll on its way may be answered with what was before,
-- so that the hint stays for `asked`. No index has the ids of live calls: there are not many.
-- @leastSeconds: least seconds between two hints of a call
with found as (
  select a.id, l.name as key, a.next_poll_at as planned,
    greatest(clock_timestamp(), a.hinted_at + make_interval(secs => @leastSeconds::double precision)) as at,
    case when c.driver = 'run' and carillon.run_lives(c.run_seen_at) then c.id end as run
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  join carillon.campaigns c on c.id = a.campaign_id
  where a.call_id = @callId and a.state = 'placed' and l.base_url = @baseUrl
), hinted as (
  update carillon.attempts a set hinted_at = f.at, next_poll_at = least(a.next_poll_at, f.at)
  from found f
  where a.id = f.id and a.state = 'placed' and (a.hinted_at is null or a.hinted_at < least(f.at, clock_timestamp()))
  returning a.id, f.key, f.run, f.at, f.planned
)
select id, key, run, at from hinted where planned > at

-- name: count_request
-- Counts a request for an attempt that is neither its create nor a poll.
update carillon.attempts set requests = requests + 1 where id = @attemptId

-- name: follow
-- Another key follows the call from now on: its own is closed.
update carillon.attempts set lane_id = @laneId where id = @attemptId and state = 'placed' returning id

-- name: settle
-- The call has ended: result, outcome, verdict and the recipient's next step, in one statement.
-- @moves: [{id, revision, polls, status, outcome, duration, cost, transcript, recording_url, structured_data,
-- provider_call_sid, direction, contact_id, metadata, record, ended_reason, currency, startedAt, endedAt, again,
-- refresh, refreshIn, localHour, optOut, lateStart, callbackAt, callbackNote}] revision: of the order by which `again`
-- was decided, because an order changed since may decide otherwise (null: any); polls: asked since the last write;
-- again: seconds until the next attempt, null when this was the last; refresh: what the record lacks that is asked for
-- again (null: nothing); refreshIn: after so many seconds; localHour: of the week, by the person's clock; optOut: said,
-- unsaid or absent; lateStart: why the call began too late; callbackAt: when the person asked to be called back, which
-- goes before `again` and is none of the attempts that the order allows; callbackNote: in the person's history
with answer as (
  select * from jsonb_to_recordset(@moves::jsonb) as x(
    id uuid, revision integer, polls integer, status text, outcome text, duration double precision, cost double precision,
    transcript text, recording_url text, structured_data jsonb, provider_call_sid text, direction text,
    contact_id text, metadata jsonb, record jsonb, ended_reason text, currency text, "startedAt" timestamptz, "endedAt" timestamptz, again double precision,
    refresh text[], "refreshIn" double precision, "localHour" smallint, "optOut" text, "lateStart" text,
    "callbackAt" timestamptz, "callbackNote" text)
  order by id
), before as (
  select x.* from answer x
  join lateral (
    select a.id from carillon.attempts a
    where a.id = x.id and a.state in ('placed', 'unknown') and a.call_id is not null
      and (x.revision is null or x.revision = (select c.revision from carillon.campaigns c where c.id = a.campaign_id))
    for update of a
  ) b on b.id = x.id
), gone as (
  -- Joined with its answer here, so that the rest reads one list: two lists would be compared row by row.
  delete from carillon.attempts a using before x where a.id = x.id
  returning a.*, x.polls as asked, x.status as last_status, x.outcome, x.duration, x.cost, x.transcript, x.recording_url,
    x.structured_data, x.provider_call_sid as told_sid, x.direction, x.contact_id, x.metadata, x.record, x.ended_reason, x.currency,
    x."startedAt", x."endedAt", x.again,
    x.refresh, x."refreshIn", x."localHour", x."optOut", x."lateStart", x."callbackAt", x."callbackNote"
), freed as (
  delete from carillon.live_phones p using gone g where g.keeps is null and p.phone = g.phone and p.attempt_id = g.id
), freed_too as materialized (
  select carillon.free_phones(g.id, g.keeps) from gone g where g.keeps is not null
), rung as (
  insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id, caller)
  select g.phone, greatest(g.dialing_at, g.repeated_at), case when g.state = 'unknown' then least(clock_timestamp(), g.phone_until)
    else clock_timestamp() end, g.outcome = 'answered', g.id, coalesce(g.caller ->> 'number', g.caller ->> 'numberId')
  from gone g
), ended as (
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, policy_version,
    planned_at, dialing_at, placed_at, phone_until, call_started_at, call_ended_at, duration, cost, phone, state, was, outcome,
    caller, agent, call_id, provider_call_sid, status, direction, contact_id, recording_url, transcript, structured_data,
    metadata, record, local_hour, ended_reason, currency, reason, detail)
  select g.id, g.recipient_id, g.campaign_id, g.lane_id, g.number, g.requests, g.polls + g.asked, g.policy_version,
    g.planned_at, g.dialing_at, g.placed_at,
    case when g.phone_until < clock_timestamp() then carillon.lost_phone_at(g.recipient_id, g.id, g.state, g.phone_until)
    end, g."startedAt", g."endedAt", g.duration, g.cost, g.phone, 'done', g.state,
    g.outcome, g.caller, g.agent, g.call_id, coalesce(g.told_sid, g.provider_call_sid), g.last_status, g.direction,
    g.contact_id, g.recording_url, g.transcript, g.structured_data, g.metadata, g.record, g."localHour", g.ended_reason, g.currency,
    case when g."lateStart" is not null then 'late-start' end, g."lateStart"
  from gone g
), watched as (
  insert into carillon.recent_ends (campaign_id, failed)
  select g.campaign_id, g.outcome in ('failed', 'dropped') from gone g
  join carillon.campaigns c on c.id = g.campaign_id and c.stop_percent is not null
), incomplete as (
  insert into carillon.refreshes (attempt_id, lane_id, due_at, fields)
  select g.id, g.lane_id, clock_timestamp() + make_interval(secs => g."refreshIn"), g.refresh
  from gone g where g.refresh is not null
), people as (
  update carillon.recipients r
  set outcome = g.outcome, reason = null, updated_at = now(), attempts = r.attempts + 1,
    -- Who may have been called again in lost history waits for a moment: a trigger leaves them to a person.
    state = case when coalesce(g.followed_by ? 'at', false) and (g.again is not null or g."callbackAt" is not null)
      then 'waiting' when c.state <> 'canceled' and ((g.again is not null and r.several)
        or ((g.again is not null or g."callbackAt" is not null)
          and not exists (select from carillon.barring(r.phone, r.campaign_id))))
      then 'waiting' else 'done' end,
    next_at = coalesce(g."callbackAt", now() + make_interval(secs => g.again), r.next_at),
    callback_at = g."callbackAt", callbacks = r.callbacks + (g."callbackAt" is not null)::integer
  from gone g join carillon.campaigns c on c.id = g.campaign_id
  where r.id = g.recipient_id
), asked as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select g.recipient_id, g.id, 'callback', g."callbackNote" from gone g where g."callbackNote" is not null
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.done', g.campaign_id, array_agg(g.recipient_id order by g.id), array_agg(g.id order by g.id)
  from gone g group by g.campaign_id
  returning id
), heard as materialized (
  -- Runs after the events of the calls.
  select carillon.hear_opt_outs(array_agg(g.campaign_id), array_agg(g.phone), array_agg(g."optOut"), array_agg(g.recipient_id))
  from gone g, (select count(*) from told) t where g."optOut" is not null
)
select id from gone, (select count(*) from heard) h, (select count(*) from freed_too) f

-- name: stale
-- The call was accepted but did not end within its deadline: a person gets it, with what was wrong with the last
-- answer, if anything, and it is not polled for ever.
-- @deadline: that has passed: a new one may have been set since (null: any); readers have it without microseconds
update carillon.attempts a set state = 'unknown', reason = 'stale', detail = concat_ws('; ', @why::text, a.detail),
  next_poll_at = null
where a.id = @attemptId and a.state = 'placed' and a.deadline_at < coalesce(@deadline, a.deadline_at) + interval '2 ms'
returning a.id

-- The call has ended: result, outcome, verdict and the recipient's next step, in one statement.
-- $1 [{id, revision, polls, status, outcome, duration, cost, transcript, recordingUrl, structuredData, providerCallSid,
-- direction, contactId, metadata, record, startedAt, endedAt, again, refresh, refreshIn, localHour, optOut}]
-- revision: of the order by which `again` was decided, as an order that was changed since decides otherwise (null: any);
-- polls: asked since the last write; again: seconds until the next attempt, null when this was the last;
-- refresh: what the record lacks that is asked for again (null: nothing); refreshIn: after so many seconds;
-- localHour: of the week, by the person's clock; optOut: said, unsaid or absent
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(
    id uuid, revision integer, polls integer, status text, outcome text, duration double precision, cost double precision,
    transcript text, "recordingUrl" text, "structuredData" jsonb, "providerCallSid" text, direction text,
    "contactId" text, metadata jsonb, record jsonb, "startedAt" timestamptz, "endedAt" timestamptz, again double precision,
    refresh text[], "refreshIn" double precision, "localHour" smallint, "optOut" text)
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
  -- Joined with its answer here, so that what follows reads one list: two would be compared row by row.
  delete from carillon.attempts a using before x where a.id = x.id
  returning a.*, x.polls as asked, x.status as last_status, x.outcome, x.duration, x.cost, x.transcript, x."recordingUrl",
    x."structuredData", x."providerCallSid", x.direction, x."contactId", x.metadata, x.record, x."startedAt", x."endedAt", x.again,
    x.refresh, x."refreshIn", x."localHour", x."optOut"
), freed as (
  delete from carillon.live_phones p using gone g where p.phone = g.phone and p.attempt_id = g.id
), rung as (
  insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
  select g.phone, g.dialing_at, case when g.state = 'unknown' then least(clock_timestamp(), g.holds_until)
    else clock_timestamp() end, g.outcome = 'answered', g.id
  from gone g
), ended as (
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, policy_version,
    planned_at, dialing_at, placed_at, held_until, call_started_at, call_ended_at, duration, cost, phone, state, was, outcome,
    caller, agent, call_id, provider_call_sid, status, direction, contact_id, recording_url, transcript, structured_data,
    metadata, record, local_hour)
  select g.id, g.recipient_id, g.campaign_id, g.lane_id, g.number, g.requests, g.polls + g.asked, g.policy_version,
    g.planned_at, g.dialing_at, g.placed_at,
    case when g.holds_until < clock_timestamp() then carillon.lost_phone_at(g.recipient_id, g.id, g.state, g.holds_until)
    end, g."startedAt", g."endedAt", g.duration, g.cost, g.phone, 'done', g.state,
    g.outcome, g.caller, g.agent, g.call_id, coalesce(g."providerCallSid", g.provider_call_sid), g.last_status, g.direction,
    g."contactId", g."recordingUrl", g.transcript, g."structuredData", g.metadata, g.record, g."localHour"
  from gone g
), watched as (
  insert into carillon.recent_ends (campaign_id, failed)
  select g.campaign_id, g.outcome = 'failed' from gone g
  join carillon.campaigns c on c.id = g.campaign_id and c.stop_percent is not null
), incomplete as (
  insert into carillon.refreshes (attempt_id, lane_id, due_at, fields)
  select g.id, g.lane_id, clock_timestamp() + make_interval(secs => g."refreshIn"), g.refresh
  from gone g where g.refresh is not null
), people as (
  update carillon.recipients r
  set outcome = g.outcome, reason = null, updated_at = now(), attempts = r.attempts + 1,
    state = case when g.again is not null and c.state <> 'canceled'
        and not exists (select from carillon.barring(r.phone, r.campaign_id))
      then 'waiting' else 'done' end,
    next_at = case when g.again is not null then now() + make_interval(secs => g.again) else r.next_at end
  from gone g join carillon.campaigns c on c.id = g.campaign_id
  where r.id = g.recipient_id
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.done', g.campaign_id, array_agg(g.recipient_id order by g.id), array_agg(g.id order by g.id)
  from gone g group by g.campaign_id
  returning id
), heard as materialized (
  -- After the events of the calls.
  select carillon.hear_opt_outs(array_agg(g.campaign_id), array_agg(g.phone), array_agg(g."optOut"), array_agg(g.recipient_id))
  from gone g, (select count(*) from told) t where g."optOut" is not null
)
select id from gone, (select count(*) from heard) h

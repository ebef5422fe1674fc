-- The call has ended: result, outcome, verdict and the recipient's next step, in one statement.
-- $1 [{id, revision, polls, status, outcome, duration, cost, transcript, recordingUrl, structuredData, startedAt,
-- endedAt, again}]
-- revision: of the order by which `again` was decided, as an order that was changed since decides otherwise (null: any);
-- polls: asked since the last write; again: seconds until the next attempt, null when this was the last
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(
    id uuid, revision integer, polls integer, status text, outcome text, duration double precision, cost double precision,
    transcript text, "recordingUrl" text, "structuredData" jsonb, "startedAt" timestamptz,
    "endedAt" timestamptz, again double precision)
  order by id
), before as (
  select x.* from answer x
  join lateral (
    select a.id from carillon.attempts a
    where a.id = x.id and a.state in ('placed', 'unknown') and a.call_id is not null
      and (x.revision is null or x.revision = (select c.revision from carillon.campaigns c where c.id = a.campaign_id))
    for update of a
  ) b on b.id = x.id
), moved as (
  update carillon.attempts a
  set state = 'done', status = x.status, outcome = x.outcome, reason = null, detail = null,
    polls = a.polls + x.polls, duration = x.duration, cost = x.cost, transcript = x.transcript,
    recording_url = x."recordingUrl", structured_data = x."structuredData",
    call_started_at = x."startedAt", call_ended_at = x."endedAt",
    ended_at = clock_timestamp(), next_poll_at = null
  from before x
  where a.id = x.id
  returning a.id, a.recipient_id, a.campaign_id, x.outcome, x.again
), people as (
  update carillon.recipients r
  set outcome = m.outcome, reason = null, updated_at = now(),
    state = case when m.again is not null and c.state <> 'canceled'
        and not exists (select from carillon.suppressions s where s.phone = r.phone)
      then 'waiting' else 'done' end,
    next_at = case when m.again is not null then now() + make_interval(secs => m.again) else r.next_at end
  from moved m join carillon.campaigns c on c.id = m.campaign_id
  where r.id = m.recipient_id and r.attempt_id = m.id
)
select id from moved

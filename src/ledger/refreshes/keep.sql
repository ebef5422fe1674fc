-- What the service told of calls that are over: it is added to them, and what it costs more to their campaigns. Outcome
-- and verdict stay as they are, and nothing that is known is taken away.
-- $1 [{id, asked, duration, cost, transcript, recordingUrl, structuredData, providerCallSid, direction, contactId,
-- metadata, record, next, tries, fields, over, optOut: said, unsaid or absent}]
-- asked: requests that left; next: seconds until it is asked for again, as often as `tries` and for `fields` (null: as
-- it was planned); over: it is asked for no more
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(
    id uuid, asked integer, duration double precision, cost double precision, transcript text, "recordingUrl" text,
    "structuredData" jsonb, "providerCallSid" text, direction text, "contactId" text, metadata jsonb, record jsonb,
    next double precision, tries smallint, fields text[], over boolean)
  order by id
), before as (
  select x.*, e.campaign_id, e.phone, e.recipient_id, e.cost as known_cost from answer x
  join lateral (
    select b.campaign_id, b.cost, b.phone, b.recipient_id from carillon.ended_attempts b where b.id = x.id for update
  ) e on true
  -- What was erased stays so, also when the service was asked before.
  where x.asked > 0 and exists (
    select from carillon.recipients r where r.id = e.recipient_id and r.erased_at is null)
), kept as (
  update carillon.ended_attempts e
  set polls = e.polls + b.asked, duration = coalesce(b.duration, e.duration), cost = coalesce(b.cost, e.cost),
    transcript = coalesce(b.transcript, e.transcript), recording_url = coalesce(b."recordingUrl", e.recording_url),
    structured_data = coalesce(b."structuredData", e.structured_data),
    provider_call_sid = coalesce(b."providerCallSid", e.provider_call_sid),
    direction = coalesce(b.direction, e.direction), contact_id = coalesce(b."contactId", e.contact_id),
    metadata = coalesce(b.metadata, e.metadata), record = coalesce(b.record, e.record)
  from before b where e.id = b.id
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select campaign_id, 'polls', sum(asked) from before group by 1
  union all
  select campaign_id, 'cost', sum(cost - coalesce(known_cost, 0)) from before
  where cost is not null and cost is distinct from known_cost group by 1
), later as (
  update carillon.refreshes r
  set due_at = now() + make_interval(secs => x.next), tries = coalesce(x.tries, r.tries), fields = coalesce(x.fields, r.fields)
  from answer x where r.attempt_id = x.id and x.next is not null and not x.over
), over as (
  delete from carillon.refreshes r using answer x where r.attempt_id = x.id and x.over
), heard as materialized (
  select carillon.hear_opt_outs(array_agg(b.campaign_id), array_agg(b.phone), array_agg(o."optOut"), array_agg(b.recipient_id))
  from jsonb_to_recordset($1::jsonb) as o(id uuid, "optOut" text) join before b on b.id = o.id
  where o."optOut" is not null
)
select id from answer, (select count(*) from heard) h

-- The service accepted the create: the call id is kept, even when the answer came late and the attempt was already
-- unknown. An answer about another person or another attempt's call says nothing about this one: it becomes unknown,
-- with the reason. Returns those that are placed.
-- $1 [{id, callId, providerCallSid, status, nextPollAt, deadlineAt, ticket, mismatch: why the answer is not about this
-- attempt (null: it is)}]
with answer as (
  select * from jsonb_to_recordset($1::jsonb)
    as x(
      id uuid, "callId" text, "providerCallSid" text, status text, "nextPollAt" timestamptz, "deadlineAt" timestamptz,
      ticket uuid, mismatch text)
  order by id
), before as (
  select x.*, b.state as was, b.lane_id from answer x
  join lateral (
    select a.id, a.state, a.lane_id from carillon.attempts a
    where a.id = x.id and a.state in ('dialing', 'unknown') and a.call_id is null
      and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
), taken as materialized (
  select t.* from (select array_agg("callId") as calls, array_agg(lane_id) as lanes from before) b
  cross join lateral carillon.taken_calls(b.calls, b.lanes) t
), judged as (
  select b.*, coalesce(b.mismatch, t.why) as why
  from before b left join taken t on t.call = b."callId" and t.on_lane = b.lane_id
), moved as (
  update carillon.attempts a
  set state = 'placed', call_id = b."callId", provider_call_sid = b."providerCallSid", status = b.status, reason = null,
    detail = null, placed_at = clock_timestamp(), next_poll_at = b."nextPollAt", deadline_at = b."deadlineAt"
  from judged b
  where a.id = b.id and b.why is null
  returning a.id, a.recipient_id, a.phone, a.campaign_id, a.lane_id, b.was
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.placed', m.campaign_id, array_agg(m.recipient_id order by m.id), array_agg(m.id order by m.id)
  from moved m group by m.campaign_id
), doubted as (
  update carillon.attempts a set state = 'unknown', reason = 'mismatch', detail = b.why
  from judged b where a.id = b.id and b.why is not null
), phones as (
  -- An attempt that was unknown for so long that it lost its phone takes it again, if it is free.
  insert into carillon.live_phones (phone, attempt_id)
  select m.phone, m.id from moved m where m.was = 'unknown' order by m.phone
  on conflict (phone) do nothing
), lane as (
  -- Each one makes up for a create that was lost. Not every create is refused, either; a lane that has stopped for that
  -- waits for its probe.
  update carillon.lanes l set losses = greatest(0, l.losses - m.times),
    refused_since = case when l.state = 'failing' then l.refused_since end,
    refused_calls = case when l.state = 'failing' then l.refused_calls end,
    spare_since = case when l.state = 'failing' then l.spare_since end
  from (select lane_id, count(*)::integer as times from moved where was = 'dialing' group by lane_id) m
  where l.id = m.lane_id and (l.losses > 0 or l.refused_since is not null)
), campaign as (
  update carillon.campaigns c set proved = true, faults = 0
  where c.id in (select campaign_id from moved) and (not c.proved or c.faults > 0)
)
select id from moved

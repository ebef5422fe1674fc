-- name: withhold
-- Certainly not called (429, unreachable, woke too late): the same attempt is planned again, none is spent. @moves:
-- [{id, ticket, sent, detail}]: ticket is that of the admission, null for any; sent is false when no request left
with answer as (
  select * from jsonb_to_recordset(@moves::jsonb) as x(id uuid, ticket uuid, sent boolean, detail text)
  order by id
), before as (
  select x.*, c.state = 'canceled' as over from answer x
  join lateral (
    select a.id, a.campaign_id from carillon.attempts a
    where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
  join carillon.campaigns c on c.id = b.campaign_id
), moved as (
  update carillon.attempts a
  set state = 'planned', detail = x.detail, requests = a.requests - case when x.sent then 0 else 1 end
  from before x where a.id = x.id and not x.over
  returning a.id, a.phone, a.keeps
), freed as (
  delete from carillon.live_phones p using (
    select m.id, k.phone from moved m cross join lateral unnest(carillon.kept_by(m.phone, m.keeps)) as k(phone) offset 0) o
  where p.phone = o.phone and p.attempt_id = o.id
), dropped as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select x.id from before x where x.over), '{dialing}', 'dropped', 'canceled', null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from dropped d where r.id = d.recipient_id
)
select id from moved union all select id from dropped

-- name: keep_sent
-- The create of an attempt that was just opened, before it leaves, where the service promises that one idempotency key
-- makes one call. @moves: [{id, ticket, sent, seconds: for how long it may be sent again}]
update carillon.attempts a set sent = x.sent, repeat_until = a.dialing_at + make_interval(secs => x.seconds)
from jsonb_to_recordset(@moves::jsonb) as x(id uuid, ticket uuid, sent text, seconds double precision)
where a.id = x.id and a.ticket = x.ticket and a.state = 'dialing'
returning a.id

-- name: placed
-- The service accepted the create: the call id is kept, even when the answer came late and the attempt was already
-- unknown. An answer about another person or another attempt's call says nothing about this one: it becomes unknown,
-- with the reason. Returns those that are placed. @moves: [{id, callId, provider_call_sid, handle, status, nextPollAt,
-- deadlineAt, ticket, mismatch: why the answer is not about this attempt (null: it is)}]
with answer as (
  select * from jsonb_to_recordset(@moves::jsonb)
    as x(
      id uuid, "callId" text, provider_call_sid text, handle text, status text, "nextPollAt" timestamptz, "deadlineAt" timestamptz,
      ticket uuid, mismatch text)
  order by id
), before as (
  select x.*, b.state as was, b.lane_id from answer x
  join lateral (
    select a.id, a.state, a.lane_id from carillon.attempts a
    where a.id = x.id and a.state in ('dialing', 'unknown') and a.call_id is null
      -- While a create may be sent again, any answer to it is about the one call of its key.
      and (x.ticket is null or a.ticket = x.ticket or (a.state = 'unknown' and a.sent is not null)) for update
  ) b on b.id = x.id
), taken as materialized (
  select t.* from (select array_agg("callId") as calls, array_agg(lane_id) as lanes from before) b
  cross join lateral carillon.taken_calls(b.calls, b.lanes) t
), judged as (
  select b.*, coalesce(b.mismatch, t.why) as why
  from before b left join taken t on t.call = b."callId" and t.on_lane = b.lane_id
), moved as (
  update carillon.attempts a
  set state = 'placed', call_id = b."callId", provider_call_sid = b.provider_call_sid, handle = b.handle, status = b.status, reason = null,
    detail = null, placed_at = clock_timestamp(), next_poll_at = b."nextPollAt", deadline_at = b."deadlineAt"
  from judged b
  where a.id = b.id and b.why is null
  returning a.id, a.recipient_id, a.phone, a.keeps, a.campaign_id, a.lane_id, b.was
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.placed', m.campaign_id, array_agg(m.recipient_id order by m.id), array_agg(m.id order by m.id)
  from moved m group by m.campaign_id
), doubted as (
  update carillon.attempts a set state = 'unknown', reason = 'mismatch', detail = b.why, sent = null, repeat_until = null
  from judged b where a.id = b.id and b.why is not null
), phones as (
  -- An attempt that was unknown for so long that it lost its phone takes it again, if it is free.
  insert into carillon.live_phones (phone, attempt_id)
  select k.phone, m.id from moved m cross join lateral unnest(carillon.kept_by(m.phone, m.keeps)) as k(phone)
  where m.was = 'unknown' order by k.phone
  on conflict (phone) do nothing
), lane as (
  -- Each good answer cancels out a lost create, and shows that not every create is refused; a lane that has stopped for
  -- that waits for its probe.
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

-- name: late
-- A create was answered after its attempt was given up: recorded once, so that a person can see it. A call id that is
-- already recorded was only reported twice. If the create was sent again and has another call, the service breaks its
-- promise that one idempotency key makes one call: the key is closed, until a person says otherwise.
with late as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select a.recipient_id, a.id, 'late-call', @callId from carillon.all_attempts a
  where a.id = @attemptId and a.call_id is distinct from @callId
    and not exists (select from carillon.history h
      where h.recipient_id = a.recipient_id and h.attempt_id = a.id and h.kind = 'late-call' and h.detail = @callId)
  returning recipient_id, attempt_id
)
update carillon.lanes l set state = 'denied', since = now(), probe_at = null, probe_attempt = null, losses = 0,
  reason = format('one idempotency key made two calls: %s and %s', a.call_id, @callId)
from late join carillon.all_attempts a on a.id = late.attempt_id
where l.id = a.lane_id and l.state <> 'denied' and a.call_id is not null and exists (select from carillon.history h
  where h.recipient_id = late.recipient_id and h.attempt_id = late.attempt_id and h.kind = 'repeated')
returning l.id

-- name: lose
-- The request may have reached the service, but no readable answer came: unknown, until a person or a late answer says.
-- @moves: [{id, reason, detail, ticket}]
with answer as (
  select * from jsonb_to_recordset(@moves::jsonb) as x(id uuid, reason text, detail text, ticket uuid)
  order by id
), before as (
  select x.* from answer x
  join lateral (
    select a.id from carillon.attempts a where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
)
update carillon.attempts a set state = 'unknown', reason = x.reason, detail = x.detail
from before x where a.id = x.id
returning a.id

-- name: refuse_person
-- The service refused this person's data: rejected, with its own words. @ticket: of the admission (null: any)
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.id = @attemptId and (@ticket::uuid is null
      or a.ticket = @ticket)),
    '{dialing,unknown}', 'refused', 'person', @words) e
), people as (
  update carillon.recipients r set state = 'rejected', reason = @words, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

-- name: refuse_order
-- The service refused the order itself: the person waits again, behind those not yet tried, and the third refusal in a
-- row pauses the campaign. A single call is an order of its own: it is rejected, and not tried again after its sender
-- was told so. @limit: refusals in a row that pause; @ticket: of the admission (null: any)
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.id = @attemptId and (@ticket::uuid is null
      or a.ticket = @ticket)),
    '{dialing,unknown}', 'refused', 'order', @words) e
), people as (
  update carillon.recipients r
  set (state, reason) = (
      select case when c.kind = 'calls' then 'rejected' else f.state end,
        case when c.kind = 'calls' then @words else coalesce(f.reason, @words) end
      from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    next_at = now(), updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id where r.id = m.recipient_id
)
update carillon.campaigns c
set faults = c.faults + 1, updated_at = now(),
  state = case when c.state = 'running' and c.faults + 1 >= @limit then 'paused' else c.state end,
  reason = case when c.state = 'running' and c.faults + 1 >= @limit then @words else c.reason end
from moved m where c.id = m.campaign_id and c.kind = 'list'
returning c.id, c.state, c.faults

-- name: park
-- No credit: the person keeps the place, no attempt is spent, and the lane creates no calls until a probe succeeds.
-- Everything planned on the lane is parked with it. Returns the lane's state too.
-- @words: the service's words; @ticket: of the opening that was refused (null: any, also one that was not opened);
-- @isOver: whether the record of a call says it, whose attempt is over
with own as (
  select a.id from carillon.attempts a
  where a.id = @attemptId and ((a.state = 'dialing' and (@ticket::uuid is null or a.ticket = @ticket))
    or (a.state = 'planned' and @ticket is null))
  for update
), told as (
  select own.id from own union all select @attemptId::uuid where @isOver::boolean
), lane as (
  update carillon.lanes l set state = 'out_of_credit', reason = @words, probe_attempt = null, losses = 0,
    since = case when l.state = 'out_of_credit' then l.since else now() end,
    probe_at = now() + make_interval(secs => case when l.state = 'out_of_credit' then l.probe_gap_ms else 5000 end / 1000.0),
    probe_gap_ms = case when l.state = 'out_of_credit' then least(60000, l.probe_gap_ms * 2) else 10000 end
  from told
  -- Creates that were in flight together are refused together: only the first and each probe move the clock.
  where l.id = @laneId and (l.state in ('open', 'failing') or l.probe_attempt = @attemptId)
  returning l.state
), moved as (
  update carillon.attempts a set state = 'parked', detail = @words
  from told where (a.id = told.id and not @isOver) or (a.lane_id = @laneId and a.state = 'planned'
    -- One that comes late does not put off the probe that was planned since.
    and (exists (select from lane) or a.id is distinct from (select l.probe_attempt from carillon.lanes l
      where l.id = @laneId)))
  returning a.id, a.phone, a.keeps
), freed as (
  delete from carillon.live_phones p using (
    select m.id, k.phone from moved m cross join lateral unnest(carillon.kept_by(m.phone, m.keeps)) as k(phone) offset 0) o
  where p.phone = o.phone and p.attempt_id = o.id
)
select count(*)::integer as parked,
  coalesce((select x.state from lane x), (select l.state from carillon.lanes l where l.id = @laneId)) as state
from moved

-- name: undialled
-- The record of a call says that nobody was dialled for lack of room or credit: nothing is spent, and the person is due
-- again after a while. @why: no-room or no-credit; @words: the service's words
select id from carillon.take_back(array[@attemptId::uuid], '{placed,unknown}', @why, @words,
  now() + make_interval(secs => @seconds))

-- name: emit
-- Tells one event: see carillon.emit.
-- @campaignId (null: none); @subject: what it is about; @data: what is kept nowhere else
select carillon.emit(@type, @campaignId, @subject, @data::jsonb)

-- name: attempts
-- Attempts for the bodies of events, in the order of the values, with person and campaign, but without what was said.
-- @ids: an attempt of each
select r.id as "recipientId", r.row, r.name, r.input, c.name as campaign, a.id as said,
  a.id, a."ofRecipient", a.number, a.state, a.outcome, a.agent, a.key, a.caller, a.phone, a."callId",
  a.provider_call_sid, a.status, a.duration, a.cost, a."plannedAt", a."dialedAt", a."startedAt", a."endedAt",
  a.direction, a.contact_id, a.recording_url, a.org_id, a.agent_id, a.ended_reason, a.currency, a.error, a.bytes
from unnest(@recipients::bigint[], @ids::uuid[]) with ordinality as x(recipient, attempt, nth)
cross join lateral (select t.* from carillon.tries t where t."ofRecipient" = x.recipient and t.id = x.attempt offset 0) a
cross join lateral (select p.* from carillon.recipients p where p.id = x.recipient offset 0) r
cross join lateral (select k.name from carillon.campaigns k where k.id = r.campaign_id offset 0) c
order by x.nth

-- name: pending
-- Whether an event of these types waits for its number, and the highest number so far: a reader who wants only a few
-- types asks this often, and has the others numbered seldom.
select exists (select from carillon.outbox o where o.type = any (@types::text[])) as waits, m.last
from carillon.event_marks m

-- name: number
-- Numbers what is committed: see carillon.number_events. @batch: how many rows at most
select reached, more from carillon.number_events(@batch)

-- name: place
-- Whether a reader may continue after an event: it is still kept, and it got its number at that time. A restored ledger
-- gives numbers again, to other events. The place before the first event has the number 0 and the time 1970.
-- @numberedAt: when it was numbered
select exists (
  select from (select e.first, e.numbered_at from carillon.events e where e.last >= @number order by e.last limit 1) x
  where x.first <= @number and x.numbered_at = @numberedAt
) or exists (
  select from carillon.event_marks m where m.gone = 0 and @number = 0 and @numberedAt = to_timestamp(0)
) as kept

-- name: numberedAt
-- When an event got its number: number and time make its id.
select e.numbered_at as "numberedAt" from (
  select x.first, x.numbered_at from carillon.events x where x.last >= @number order by x.last limit 1
) e where e.first <= @number

-- name: read
-- Events after a number, in order: rows whose last event is after it, until there are enough. It looks at only so many
-- numbers, which have no gap: `upto` is how far it looked, even if nothing fits; null if nothing is after it.
-- @after: after this number; @limit: how many events; @types (null: any); @campaignId (null: any); @look: how many
-- numbers to look at
with start as (
  select greatest(@after::bigint, m.gone) as after from carillon.event_marks m
), near as (
  select e.first, e.last, e.numbered_at, e.at, e.type, e.campaign_id, e.recipients, e.attempts, e.subject, e.data
  from start s cross join lateral (
    select * from carillon.events x where x.last > s.after and x.last <= s.after + @look::integer order by x.last
  ) e
), fits as (
  select n.*, sum(n.last - n.first + 1) over (order by n.last) - (n.last - n.first + 1) as ahead
  from near n
  where (@types::text[] is null or n.type = any (@types)) and (@campaignId::uuid is null or n.campaign_id = @campaignId)
), chosen as (
  select * from fits f where f.ahead < @limit::integer
), reach as (
  select case when (select count(*) from fits) > (select count(*) from chosen) then (select max(c.last) from chosen c)
    else (select max(n.last) from near n) end as upto
)
select r.upto, c.first, c.last, c.numbered_at as "numberedAt", c.at, c.type, c.campaign_id as "campaignId",
  c.recipients::text[] as recipients, c.attempts::text[] as attempts, c.subject, c.data
from reach r left join chosen c on true
order by c.last

-- name: forget
-- Removes old events: see carillon.forget_events.
-- @keepSeconds: how long they are kept, in seconds; @most: how many rows at most
select carillon.forget_events(@keepSeconds, @most) as removed

-- name: add
-- Adds an address, which is told what comes after @cursor; none is added when there are @most of them.
-- @secret: sealed secret; @events: types (null: all); @cursor: number of an event; @most: how many there may be
insert into carillon.webhooks as w (id, url, secret, events, cursor)
select @id, @url, @secret, @events::text[], @cursor
where (select count(*) from carillon.webhooks) < @most::integer
returning w.id

-- name: save
-- Saves how far an address is: only for the process that has claimed it, and only if no person has changed it since.
-- @state: {cursor, state, reason, since, tries, nextAt, delivered, failed}; @done: numbers that wait no longer;
-- @waiting: [{number, line, tries, since, nextAt}]; @delivered: [{delivered, slot, n, at, event, type, try, status, ms,
-- error}]
with own as (
  update carillon.webhooks w
  set cursor = x.cursor, state = x.state, reason = x.reason, since = x.since, tries = x.tries, next_at = x."nextAt",
    delivered = w.delivered + x.delivered, failed = w.failed + x.failed,
    claimant = case when x.state <> 'resting' then w.claimant end,
    claimed_until = case when x.state <> 'resting' then w.claimed_until end
  from jsonb_to_record(@state::jsonb) as x(cursor bigint, state text, reason text, since timestamptz, tries integer,
    "nextAt" timestamptz, delivered integer, failed integer)
  where w.id = @id and w.claimant = @claimant and w.revision = @revision
  returning w.id
), gone as (
  delete from carillon.webhook_blocked h using own o where h.webhook_id = o.id
    and h.number = any (@done::text[]::bigint[])
), blocked as (
  insert into carillon.webhook_blocked (webhook_id, number, line, tries, since, next_at)
  select o.id, x.number, x.line, x.tries, x.since, x."nextAt"
  from own o, jsonb_to_recordset(@waiting::jsonb) as x(number bigint, line text, tries integer, since timestamptz,
    "nextAt" timestamptz)
  order by x.number
  on conflict (webhook_id, number)
    do update set tries = excluded.tries, since = excluded.since, next_at = excluded.next_at
), logged as (
  insert into carillon.webhook_deliveries (webhook_id, delivered, slot, n, at, event, type, try, status, ms, error)
  select o.id, x.delivered, x.slot, x.n, x.at, x.event, x.type, x.try, x.status, x.ms, x.error
  from own o, jsonb_to_recordset(@delivered::jsonb) as x(delivered boolean, slot smallint, n bigint, at timestamptz,
    event text,
    type text, try integer, status integer, ms integer, error text)
  order by x.delivered, x.slot
  on conflict (webhook_id, delivered, slot)
    do update set n = excluded.n, at = excluded.at, event = excluded.event, type = excluded.type, try = excluded.try,
      status = excluded.status, ms = excluded.ms, error = excluded.error
)
select id from own

-- name: list
-- The addresses with their progress, oldest first. `behind` counts events that the address was not told of yet, wanted
-- or not; `blocked` counts those that wait for an earlier one which it did not take. While some wait, the last failure
-- says why, even if the address does not count as failing. @id: only this one (null: all)
select w.id, w.url, w.secret, w.events, w.state,
  case when w.reason is null and h.events > 0 then (
    select coalesce(d.error, 'it answered ' || d.status) from carillon.webhook_deliveries d
    where d.webhook_id = w.id and not d.delivered order by d.n desc limit 1
  ) else w.reason end as reason, w.since, w.next_at as "nextAt", w.delivered, w.failed,
  m.last - least(m.last, w.cursor) as behind, h.events as blocked, h.lines as "blockedLines", h.since as "blockedSince", w.created_at as "createdAt"
from carillon.event_marks m
join carillon.webhooks w on @id::uuid is null or w.id = @id::uuid
cross join lateral (
  select count(*) as events, count(distinct x.line) as lines, min(x.since) as since from carillon.webhook_blocked x where x.webhook_id = w.id
) h
order by w.created_at, w.id

-- name: change
-- Tells another address, or of other types, what comes next. @events: types (null: all)
update carillon.webhooks set url = @url, events = @events::text[], revision = revision + 1 where id = @id returning id

-- name: remove
-- Forgets an address with everything that waits for it.
delete from carillon.webhooks where id = @id returning id

-- name: secrets
-- The sealed secrets of all addresses, which say what sealed them.
select w.secret from carillon.webhooks w

-- name: claim
-- Claims addresses that nobody has claimed, or whose claimant is gone, and extends the claims of this process. A
-- resting address is not claimed. @mostNew: how many new ones; @prolongSeconds: prolong what ends within so many
-- seconds; @opens: with what a secret must begin: another process can open the others
with free as (
  select w.id from carillon.webhooks w
  where w.state <> 'resting' and w.claimant is distinct from @claimant
    and coalesce(w.claimed_until < clock_timestamp(), true)
    and starts_with(w.secret, @opens)
  order by w.created_at limit @mostNew for update skip locked
), own as (
  select w.id from carillon.webhooks w
  where w.claimant = @claimant and w.claimed_until < clock_timestamp() + make_interval(secs => @prolongSeconds)
  for update
)
update carillon.webhooks w set claimant = @claimant, claimed_until = clock_timestamp() + make_interval(secs => @seconds)
from (select id from free union all select id from own) x where w.id = x.id
returning w.id

-- name: claimed
-- The addresses to which this process delivers, as they are now; `leaseMs` is how long its claim still lasts.
select w.id, w.url, w.secret, w.events, w.state, w.reason, w.since, w.tries, w.next_at as "nextAt", w.cursor, w.revision,
  w.delivered, w.failed,
  extract(epoch from w.claimed_until - clock_timestamp())::double precision * 1000 as "leaseMs"
from carillon.webhooks w where w.claimant = @claimant and w.state <> 'resting'

-- name: blocked
-- The events that an earlier one blocks, and those that block, in order.
select h.number, h.line, h.tries, h.since, h.next_at as "nextAt" from carillon.webhook_blocked h
where h.webhook_id = @id order by h.number

-- name: release
-- Releases addresses for other processes at once.
update carillon.webhooks w set claimant = null, claimed_until = null where w.claimant = @claimant
  and w.id = any (@ids::uuid[])

-- name: wake
-- The address took an event: everything that waits for it is tried at once. If it was active, the tries of waiting
-- events were their own, and still count.
with before as (
  select w.id, w.state from carillon.webhooks w
  where w.id = @id
    and (w.state <> 'active' or exists (select from carillon.webhook_blocked h where h.webhook_id = w.id))
  for update
), woken as (
  update carillon.webhooks w
  set state = 'active', reason = null, since = case when b.state = 'active' then w.since else now() end, tries = 0,
    next_at = null, revision = w.revision + 1
  from before b where w.id = b.id
  returning w.id
), now_due as (
  update carillon.webhook_blocked h
  set tries = case when b.state = 'active' then h.tries else 0 end,
    since = case when b.state = 'active' then h.since end, next_at = null
  from before b where h.webhook_id = b.id
)
select id from woken

-- name: deliveries
-- The latest deliveries to an address, newest first, each with the person and the campaign of its event, whose number
-- is at the end of its id: null where the event is about neither, is not kept any more, or where the person was erased.
-- @delivered: only those with this end (null: any); @before: before this one (null: from the newest)
select d.n, d.at, d.event, d.type, d.try, d.delivered, d.status, d.ms, d.error,
  e.campaign_id as "campaignId", c.name as campaign, r.id as "recipientId", r.phone, r.name
from (
  select x.*, ('x' || lpad(substr(x.event, 17, 12), 16, '0'))::bit(64)::bigint as number
  from carillon.webhook_deliveries x
  where x.webhook_id = @id and (@delivered::boolean is null or x.delivered = @delivered::boolean)
    and (@before::bigint is null or x.n < @before::bigint)
  order by x.n desc limit @most
) d
left join lateral (
  select x.campaign_id, x.recipients[d.number - x.first + 1] as recipient
  from (select y.* from carillon.events y where y.last >= d.number order by y.last limit 1) x
  where x.first <= d.number and x.type = d.type
) e on true
left join lateral (select k.name from carillon.campaigns k where k.id = e.campaign_id offset 0) c on true
left join lateral (
  select p.id, p.phone, p.name from carillon.recipients p
  where p.id = e.recipient and not starts_with(p.phone, 'erased:') offset 0
) r on true
order by d.n desc

-- name: replay
-- Starts again after an event: later ones are delivered again, including those that waited.
-- @after: the number of the event
with moved as (
  update carillon.webhooks w
  set cursor = least(w.cursor, @after::bigint), state = 'active', reason = null, since = now(), tries = 0,
    next_at = null,
    revision = w.revision + 1
  where w.id = @id
  returning w.id, w.cursor
), gone as (
  delete from carillon.webhook_blocked h using moved m where h.webhook_id = m.id and h.number > m.cursor
), now_due as (
  update carillon.webhook_blocked h set tries = 0, since = null, next_at = null
  from moved m where h.webhook_id = m.id and h.number <= m.cursor
)
select cursor from moved

-- name: number_before
-- The event after which a replay from a time begins: see carillon.number_before. @since: the time
select carillon.number_before(@since) as number

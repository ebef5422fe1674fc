-- name: add
-- Adds an address, unless there are @most of them, and leaves word for it of what is raised now.
-- @only: codes and severities (null: all); @atMost: seconds between two messages; @most: how many there may be
with made as (
  insert into carillon.alert_addresses (id, kind, sealed, shown, only_of, at_most)
  select @id, @kind, @sealed, @shown, @only::text[], @atMost
  where (select count(*) from carillon.alert_addresses) < @most::integer
  returning id, only_of
), noted as (
  insert into carillon.alert_notices (address_id, code, subject, type, alert)
  select m.id, a.code, a.subject, 'alert.raised', carillon.alert_of(a)
  from made m, carillon.alerts a
  where a.raised_at is not null and carillon.alert_wanted(m.only_of, a.code, a.severity)
)
select id from made

-- name: list
-- The addresses, oldest first; `held` is how many alerts wait for the next message.
-- @id: only this one (null: all); @unsentReason: the reason of an address to which no process sends what is due
select a.id, a.kind, a.sealed, a.shown, a.only_of as only, a.at_most as "atMost",
  case when u.since is null then a.next_at end as "nextAt", case when u.since is null then a.reason
    else @unsentReason::text end as reason,
  coalesce(a.since, u.since) as since, a.sent, a.failed, a.sent_at as "sentAt", a.created_at as "createdAt",
  (select count(*) from carillon.alert_notices n where n.address_id = a.id) as held
from carillon.alert_addresses a
cross join lateral (select carillon.unsent_since(a) as since) u
where @id::uuid is null or a.id = @id::uuid
order by a.created_at, a.id

-- name: remove
-- Forgets an address and what waits for it.
delete from carillon.alert_addresses where id = @id returning id

-- name: claim
-- Claims the addresses that a message is due for and that nobody else has.
-- @opens: with what the sealed address must begin: another process can open the others
with due as (
  select a.id from carillon.alert_addresses a
  where coalesce(a.claimed_until < clock_timestamp(), true) and starts_with(a.sealed, @opens)
    and exists (
      select from carillon.alert_notices n
      where n.address_id = a.id and carillon.notice_due_at(a, n) <= clock_timestamp())
  order by a.next_at limit @most for update skip locked
)
update carillon.alert_addresses a set claimant = @claimant, claimed_until = clock_timestamp() + make_interval(secs => @seconds)
from due d where a.id = d.id
returning a.id, a.kind, a.sealed, a.at_most as "atMost", a.tries, coalesce(a.since, clock_timestamp()) as since

-- name: notices
-- What waits for an address, oldest first.
select n.number, n.type, n.at, n.times, n.alert from carillon.alert_notices n where n.address_id = @id
  order by n.number limit 200

-- name: save
-- Saves what came of a message: only for the process that has claimed the address.
-- @sent: what was sent; @error: why it was not (null: it was); @waitSeconds: seconds until the next
with own as (
  update carillon.alert_addresses a
  set next_at = clock_timestamp() + make_interval(secs => @waitSeconds), reason = @error,
    since = case when @error::text is not null then coalesce(a.since, clock_timestamp()) end,
    tries = case when @error::text is null then 0 else a.tries + 1 end,
    sent = a.sent + (@error::text is null)::integer, failed = a.failed + (@error::text is not null)::integer,
    sent_at = case when @error::text is null then clock_timestamp() else a.sent_at end,
    claimant = null, claimed_until = null
  where a.id = @id and a.claimant = @claimant
  returning a.id
), gone as (
  delete from carillon.alert_notices n using own o where n.address_id = o.id
    and n.number = any (@sent::text[]::bigint[])
)
select id from own

-- name: wake
-- The address took a message: what waits for it goes at once.
update carillon.alert_addresses a set next_at = clock_timestamp(), reason = null, since = null, tries = 0
where a.id = @id and a.reason is not null

-- name: save_beat
-- Saves whether a monitor took a beat. @id: monitor; @error: why it was not taken (null: it was)
update carillon.alert_addresses a
set reason = @error, since = case when @error::text is not null then coalesce(a.since, clock_timestamp()) end,
  sent = a.sent + (@error::text is null)::integer, failed = a.failed + (@error::text is not null)::integer,
  sent_at = case when @error::text is null then clock_timestamp() else a.sent_at end
where a.id = @id

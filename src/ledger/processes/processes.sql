-- name: report
-- Keeps what a process says of itself; removes processes that were silent for a day. @process: {id, host, pid, version,
-- node, parts, queue, baseUrl, keys, secret, loops, clockAheadMs, trouble, memory, startedAt}
with old as (
  delete from carillon.processes p where p.seen_at < clock_timestamp() - interval '1 day'
)
insert into carillon.processes (id, host, pid, version, node, parts, queue, base_url, keys, secret, loops, clock_ahead_ms, trouble,
  memory, started_at)
select x.id, x.host, x.pid, x.version, x.node, x.parts, x.queue, x."baseUrl", x.keys, x.secret, x.loops, x."clockAheadMs", x.trouble,
  x.memory, x."startedAt"
from jsonb_to_record(@process::jsonb) as x(id text, host text, pid integer, version text, node text, parts text[],
  queue text,
  "baseUrl" text, keys jsonb, secret text, loops jsonb, "clockAheadMs" double precision, trouble text, memory bigint,
  "startedAt" timestamptz)
on conflict (id) do update set parts = excluded.parts, keys = excluded.keys, loops = excluded.loops, clock_ahead_ms = excluded.clock_ahead_ms,
  trouble = excluded.trouble, memory = excluded.memory, secret = excluded.secret, seen_at = clock_timestamp()

-- name: list
-- The processes, last started first, and how long each has been silent by the ledger's clock.
select p.id, p.host, p.pid, p.version, p.node, p.parts, p.queue, p.loops, p.clock_ahead_ms as "clockAheadMs", p.trouble,
  p.memory, p.started_at as "startedAt", p.seen_at as "seenAt",
  array(select k from jsonb_object_keys(p.keys) k order by k) as keys, p.base_url as "baseUrl", carillon.process_lives(p.seen_at) as alive,
  extract(epoch from clock_timestamp() - p.seen_at)::double precision * 1000 as "silentMs"
from carillon.processes p order by p.started_at desc, p.id limit 1000

-- name: leave
-- A process stops.
with budget as (
  delete from carillon.budgets b where b.process = @id
)
delete from carillon.processes p where p.id = @id

-- name: salt
-- The ledger's id, which keys the digests of keys. One row
select l.id as salt from carillon.ledger l

-- name: agree
-- Keys of a process that are not the ones in force: see carillon.agree_keys.
-- @startedAt: when it started; @dials: whether it dials
select a.name as key, a.what, a.holder from carillon.agree_keys(@id, @baseUrl, @keys::jsonb, @startedAt, @dials) a

-- name: differing
-- Differences of living processes from those that dial: the secret or the rate of a key, or CARILLON_SECRET, for which
-- the first to start decides.
select p.host || ':' || p.pid as process, o.name as key, o.what, o.holder
from carillon.processes p, carillon.other_keys(p.id, @baseUrl, p.keys, p.started_at) o
where p.base_url = @baseUrl and carillon.process_lives(p.seen_at)
union all
select p.host || ':' || p.pid, null, 'installation', f.host || ':' || f.pid
from carillon.processes p, (
  select first.* from carillon.processes first
  where carillon.process_lives(first.seen_at) and first.secret is not null order by first.started_at, first.id limit 1) f
where carillon.process_lives(p.seen_at) and p.secret <> f.secret
order by 1, 2

-- name: confirm_key
-- A person confirms a key as the command has it: processes that started before and differ do not dial. @name: key
update carillon.lanes l set key_digest = @digest, key_rate = @rate, key_confirmed_at = clock_timestamp()
where l.base_url = @baseUrl and l.name = @name

-- name: wake
-- Tells every process that there may be work.
select pg_notify('carillon_work', '')

-- name: claim_beat
-- Claims the next beat for one process of a service, when it is due: nobody else tries for as long as a request may
-- take.
insert into carillon.heartbeats as h (base_url, next_at) values (@baseUrl,
  clock_timestamp() + make_interval(secs => @seconds))
on conflict (base_url) do update set next_at = excluded.next_at where h.next_at <= clock_timestamp()
returning h.base_url as service

-- name: save_beat
-- Saves what came of it. @reason: why there was none (null: there was one); @waitSeconds: seconds until the next
update carillon.heartbeats h set next_at = clock_timestamp() + make_interval(secs => @waitSeconds), reason = @reason,
  beat_at = case when @reason::text is null then clock_timestamp() else h.beat_at end
where h.base_url = @baseUrl

-- name: last_beat
-- How many seconds ago the last beat was, by the ledger's clock, and why there was none at the last try.
select extract(epoch from clock_timestamp() - h.beat_at)::double precision as "beatAgo", h.reason
from carillon.heartbeats h where h.base_url = @baseUrl

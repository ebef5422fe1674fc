-- name: report
-- Keeps what a process says of itself; removes processes that were silent for a day.
-- $1 {id, host, pid, version, node, parts, queue, baseUrl, keys, secret, loops, clockAheadMs, trouble, memory,
-- startedAt}
with old as (
  delete from carillon.processes p where p.seen_at < clock_timestamp() - interval '1 day'
)
insert into carillon.processes (id, host, pid, version, node, parts, queue, base_url, keys, secret, loops, clock_ahead_ms, trouble,
  memory, started_at)
select x.id, x.host, x.pid, x.version, x.node, x.parts, x.queue, x."baseUrl", x.keys, x.secret, x.loops, x."clockAheadMs", x.trouble,
  x.memory, x."startedAt"
from jsonb_to_record($1::jsonb) as x(id text, host text, pid integer, version text, node text, parts text[], queue text,
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
-- A process stops. $1 id
with budget as (
  delete from carillon.budgets b where b.process = $1
)
delete from carillon.processes p where p.id = $1

-- name: salt
-- The ledger's id, which keys the digests of keys. One row
select l.id as salt from carillon.ledger l

-- name: agree
-- Keys of a process that are not the ones in force: see carillon.agree_keys. $1 its id, $2 service, $3 its keys, $4
-- when it started, $5 whether it dials
select a.name as key, a.what, a.holder from carillon.agree_keys($1, $2, $3::jsonb, $4, $5) a

-- name: differing
-- Differences of living processes from those that dial: the secret or the rate of a key, or CARILLON_SECRET, for which
-- the first to start decides. $1 service
select p.host || ':' || p.pid as process, o.name as key, o.what, o.holder
from carillon.processes p, carillon.other_keys(p.id, $1, p.keys, p.started_at) o
where p.base_url = $1 and carillon.process_lives(p.seen_at)
union all
select p.host || ':' || p.pid, null, 'installation', f.host || ':' || f.pid
from carillon.processes p, (
  select first.* from carillon.processes first
  where carillon.process_lives(first.seen_at) and first.secret is not null order by first.started_at, first.id limit 1) f
where carillon.process_lives(p.seen_at) and p.secret <> f.secret
order by 1, 2

-- name: confirm_key
-- A person confirms a key as the command has it: processes that started before and differ do not dial. $1 service, $2
-- key, $3 digest, $4 rate
update carillon.lanes l set key_digest = $3, key_rate = $4, key_confirmed_at = clock_timestamp()
where l.base_url = $1 and l.name = $2

-- name: wake
-- Tells every process that there may be work.
select pg_notify('carillon_work', '')

-- name: claim_beat
-- Claims the next beat for one process of a service, when it is due: nobody else tries for as long as a request may take.
-- $1 service, $2 seconds
insert into carillon.heartbeats as h (base_url, next_at) values ($1, clock_timestamp() + make_interval(secs => $2))
on conflict (base_url) do update set next_at = excluded.next_at where h.next_at <= clock_timestamp()
returning h.base_url as service

-- name: save_beat
-- Saves what came of it. $1 service, $2 why there was none (null: there was one), $3 seconds until the next
update carillon.heartbeats h set next_at = clock_timestamp() + make_interval(secs => $3), reason = $2,
  beat_at = case when $2::text is null then clock_timestamp() else h.beat_at end
where h.base_url = $1

-- name: last_beat
-- How many seconds ago the last beat was, by the ledger's clock, and why there was none at the last try. $1 service
select extract(epoch from clock_timestamp() - h.beat_at)::double precision as "beatAgo", h.reason
from carillon.heartbeats h where h.base_url = $1

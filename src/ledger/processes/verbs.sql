-- name: report
-- Keeps what a process says of itself; those of which nothing was heard for a day are removed.
-- $1 {id, host, pid, version, node, parts, queue, loops, clockAheadMs, trouble, memory, startedAt}
with old as (
  delete from carillon.processes p where p.seen_at < clock_timestamp() - interval '1 day'
)
insert into carillon.processes (id, host, pid, version, node, parts, queue, loops, clock_ahead_ms, trouble, memory, started_at)
select x.id, x.host, x.pid, x.version, x.node, x.parts, x.queue, x.loops, x."clockAheadMs", x.trouble, x.memory, x."startedAt"
from jsonb_to_record($1::jsonb) as x(id text, host text, pid integer, version text, node text, parts text[], queue text,
  loops jsonb, "clockAheadMs" double precision, trouble text, memory bigint, "startedAt" timestamptz)
on conflict (id) do update set parts = excluded.parts, loops = excluded.loops, clock_ahead_ms = excluded.clock_ahead_ms,
  trouble = excluded.trouble, memory = excluded.memory, seen_at = clock_timestamp()

-- name: list
-- The processes, those that started last first, and how long ago each was heard of by the ledger's clock.
select p.id, p.host, p.pid, p.version, p.node, p.parts, p.queue, p.loops, p.clock_ahead_ms as "clockAheadMs", p.trouble,
  p.memory, p.started_at as "startedAt", p.seen_at as "seenAt",
  extract(epoch from clock_timestamp() - p.seen_at)::double precision * 1000 as "silentMs"
from carillon.processes p order by p.started_at desc, p.id limit 1000

-- name: leave
-- A process stops. $1 id
delete from carillon.processes p where p.id = $1

-- The processes, those that started last first, and how long ago each was heard of by the ledger's clock.
select p.id, p.host, p.pid, p.version, p.node, p.parts, p.queue, p.loops, p.clock_ahead_ms as "clockAheadMs", p.trouble,
  p.memory, p.started_at as "startedAt", p.seen_at as "seenAt",
  extract(epoch from clock_timestamp() - p.seen_at)::double precision * 1000 as "silentMs"
from carillon.processes p order by p.started_at desc, p.id limit 1000

-- Keeps how far an address is: only for the process that holds it, and only what a person has not changed since.
-- $1 id, $2 holder, $3 revision, $4 {cursor, state, reason, since, tries, nextAt, delivered, failed}, $5 numbers that wait no
-- longer, $6 [{number, line, tries, since, nextAt}], $7 [{delivered, slot, n, at, event, type, try, status, ms, error}]
with own as (
  update carillon.webhooks w
  set cursor = x.cursor, state = x.state, reason = x.reason, since = x.since, tries = x.tries, next_at = x."nextAt",
    delivered = w.delivered + x.delivered, failed = w.failed + x.failed,
    holder = case when x.state <> 'resting' then w.holder end,
    held_until = case when x.state <> 'resting' then w.held_until end
  from jsonb_to_record($4::jsonb) as x(cursor bigint, state text, reason text, since timestamptz, tries integer,
    "nextAt" timestamptz, delivered integer, failed integer)
  where w.id = $1 and w.holder = $2 and w.revision = $3
  returning w.id
), gone as (
  delete from carillon.webhook_holds h using own o where h.webhook_id = o.id and h.number = any ($5::text[]::bigint[])
), held as (
  insert into carillon.webhook_holds (webhook_id, number, line, tries, since, next_at)
  select o.id, x.number, x.line, x.tries, x.since, x."nextAt"
  from own o, jsonb_to_recordset($6::jsonb) as x(number bigint, line text, tries integer, since timestamptz,
    "nextAt" timestamptz)
  order by x.number
  on conflict (webhook_id, number)
    do update set tries = excluded.tries, since = excluded.since, next_at = excluded.next_at
), logged as (
  insert into carillon.webhook_deliveries (webhook_id, delivered, slot, n, at, event, type, try, status, ms, error)
  select o.id, x.delivered, x.slot, x.n, x.at, x.event, x.type, x.try, x.status, x.ms, x.error
  from own o, jsonb_to_recordset($7::jsonb) as x(delivered boolean, slot smallint, n bigint, at timestamptz, event text,
    type text, try integer, status integer, ms integer, error text)
  order by x.delivered, x.slot
  on conflict (webhook_id, delivered, slot)
    do update set n = excluded.n, at = excluded.at, event = excluded.event, type = excluded.type, try = excluded.try,
      status = excluded.status, ms = excluded.ms, error = excluded.error
)
select id from own

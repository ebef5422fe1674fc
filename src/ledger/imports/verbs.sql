-- name: create
-- A list that waits to be added; its pieces follow in the same transaction. $1 campaign, $2 format, $3 options, $4 bytes
insert into carillon.imports (campaign_id, format, options, bytes) values ($1, $2, $3::jsonb, $4) returning id

-- name: keep
-- A list whose people are stored in this transaction, to answer the same request again. $1 campaign, $2 format, $3 options,
-- $4 bytes, $5 rows read, $6 accepted, $7 rejected, $8 the first rejects
insert into carillon.imports (campaign_id, format, options, bytes, state, bytes_read, rows_read, accepted, rejected, rejects,
  ended_at)
values ($1, $2, $3::jsonb, $4, 'done', $4, $5, $6, $7, $8::jsonb, now())
returning id

-- name: is_open
-- Whether an import is not over. Read after its lock was taken. $1 import
select exists (select from carillon.imports i where i.id = $1 and i.state in ('waiting', 'running')) as open

-- name: page
-- Imports, the latest first. $1 only of this campaign (null: of any), $2 $3 before this time and id, in microseconds,
-- $4 how many, $5 only this one (null: any)
select i.id, c.name as campaign, c.state as "campaignState", i.state, i.code, i.reason, i.since, i.format, i.bytes,
  i.bytes_read as "bytesRead", i.rows_read as "rowsRead", i.accepted, i.rejected, i.rejects, i.created_at as "createdAt",
  i.ended_at as "endedAt", (extract(epoch from i.created_at) * 1000000)::bigint as at
from carillon.imports i join carillon.campaigns c on c.id = i.campaign_id
where ($5::uuid is null or i.id = $5) and ($1::uuid is null or i.campaign_id = $1)
  and (i.created_at, i.id) < (timestamptz 'epoch' + $2::double precision * interval '1 microsecond', $3::uuid)
order by i.created_at desc, i.id desc limit $4

-- name: next
-- The imports that are to be done, the oldest first. Some may be in the hands of another process: see the query lock.
-- $1 how many
select i.id, i.campaign_id as "campaignId", i.format, i.options, i.bytes from carillon.imports i
where i.state in ('waiting', 'running') order by i.created_at, i.id limit $1

-- name: lock
-- Takes an import for this transaction: not when another process has it, or when it is over. The lock of a process that
-- died is free at once. $1 import
select pg_try_advisory_xact_lock(hashtextextended('carillon import work ' || $1::text, 0)) as got

-- name: piece
-- One piece of a body, in its order; none behind the last. $1 import, $2 number, from 0
select p.data from carillon.import_pieces p where p.import_id = $1 and p.n = $2

-- name: progress
-- How far an import is. $1 import, $2 bytes read, $3 rows read, $4 accepted, $5 rejected
update carillon.imports i set bytes_read = $2, rows_read = $3, accepted = $4, rejected = $5, state = 'running',
  since = case when i.state = 'running' then i.since else now() end
where i.id = $1 and i.state in ('waiting', 'running')

-- name: done
-- Ends an import in its own transaction, and lets go of the body. $1 import, $2 rows read, $3 accepted, $4 rejected,
-- $5 the first rejects
with gone as (
  delete from carillon.import_pieces p where p.import_id = $1
), ended as (
  update carillon.imports i set state = 'done', since = now(), ended_at = now(), bytes_read = i.bytes, rows_read = $2,
    accepted = $3, rejected = $4, rejects = $5::jsonb
  where i.id = $1
  returning i.id, i.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e

-- name: fail
-- Ends an import that cannot be done: nothing of it was stored. $1 import, $2 code, $3 reason
with gone as (
  delete from carillon.import_pieces p where p.import_id = $1
), ended as (
  update carillon.imports i set state = 'failed', code = $2, reason = $3, since = now(), ended_at = now(), accepted = 0,
    rejected = 0
  where i.id = $1 and i.state in ('waiting', 'running')
  returning i.id, i.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e

-- name: forget
-- Imports that ended long ago: what they brought stays. $1 days
delete from carillon.imports i where i.ended_at < now() - $1::integer * interval '1 day'

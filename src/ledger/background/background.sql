-- name: page
-- Imported lists, or bulk acts, latest first. $1 $2 before this time and id, in microseconds, $3 how many, $4 only this
-- one (null: any), $5 whether lists, $6 only of this campaign (null: of any)
select w.id, w.kind, w.asked, w.format, c.name as campaign, c.state as "campaignState", w.state, w.code, w.reason, w.since,
  w.size, w.seen, w.done, w.passed, w.rows_read as "rowsRead", w.rejects, w.created_at as "createdAt",
  w.ended_at as "endedAt", (extract(epoch from w.created_at) * 1000000)::bigint as at
from carillon.works w left join carillon.campaigns c on c.id = w.campaign_id
where (w.kind = 'import') = $5::boolean and ($4::uuid is null or w.id = $4) and ($6::uuid is null or w.campaign_id = $6)
  and (w.created_at, w.id) < (timestamptz 'epoch' + $1::double precision * interval '1 microsecond', $2::uuid)
order by w.created_at desc, w.id desc limit $3

-- name: open
-- Works that are not over, oldest first. Another process may be doing some of them: see the query lock. $1 the service
-- whose acts are meant (null: lists), $2 how many (null: all)
select w.id, w.campaign_id as "campaignId", w.format, w.options, w.size as bytes from carillon.works w
where w.state in ('waiting', 'running') and w.base_url is not distinct from $1::text
order by w.created_at, w.id limit $2

-- name: lock
-- Takes a work for this transaction, unless another process has it. The lock of a process that died is free at once. $1
-- work
select pg_try_advisory_xact_lock(hashtextextended('carillon work ' || $1::text, 0)) as got

-- name: next
-- A work that is not over, with the next piece of an act; `people` is null after the last. Read after its lock was
-- taken. $1 work
select w.kind, w.filter, w.options, p.people::text[] as people
from carillon.works w left join carillon.work_pieces p on p.work_id = w.id and p.n = w.piece
where w.id = $1 and w.state in ('waiting', 'running')

-- name: piece
-- One piece, in order; none after the last. $1 work, $2 number, from 0
select p.people::text[] as people, p.data from carillon.work_pieces p where p.work_id = $1 and p.n = $2

-- name: end
-- Ends a work before its last piece: stopped by a person, or failed. The finished part of an act stays done; nothing of
-- a list was stored. $1 work, $2 state, $3 code, $4 reason
with ended as (
  update carillon.works w set state = $2, code = $3, reason = $4, since = now(), ended_at = now(),
    done = case when w.kind = 'import' then 0 else w.done end, passed = case when w.kind = 'import' then '{}' else w.passed end
  where w.id = $1 and w.state in ('waiting', 'running')
  returning w.id, w.kind, w.campaign_id
), gone as (
  delete from carillon.work_pieces p using ended e where p.work_id = e.id
), told as (
  insert into carillon.outbox (type, campaign_id, subject)
  select case when e.kind = 'import' then 'import.done' else 'bulk.done' end, e.campaign_id, e.id::text from ended e
)
select e.id from ended e

-- name: forget
-- Removes the people of exports that ended some time ago, and works that ended long ago. $1 days for the people, $2 for
-- acts, $3 for lists
with gone as (
  delete from carillon.work_pieces p using carillon.works w
  where w.id = p.work_id and w.ended_at < now() - $1::integer * interval '1 day'
)
delete from carillon.works w
where w.ended_at < now() - case when w.kind = 'import' then $3::integer else $2::integer end * interval '1 day'

-- name: create
-- A list that waits to be imported, whose pieces follow in the same transaction; or a list whose people are stored in
-- this transaction, kept to answer the same request again. $1 campaign, $2 format, $3 options, $4 bytes, $5 rows read
-- (null: it waits), $6 accepted, $7 rejected, $8 the first rejects, $9 how many of the accepted were on the list
-- already, $10 how many of these changed
-- wakes
insert into carillon.works (kind, campaign_id, format, options, size, state, seen, rows_read, done, passed, rejects, ended_at)
select 'import', $1::uuid, $2::text, $3::jsonb, $4::bigint, case when $5::integer is null then 'waiting' else 'done' end,
  case when $5::integer is null then 0 else $4::bigint end, coalesce($5::integer, 0), coalesce($6::integer, 0),
  case when $7::integer is null then '{}' else jsonb_build_object(
    'rejected', $7::integer, 'known', $9::integer, 'changed', $10::integer) end, coalesce($8::jsonb, '[]'),
  case when $5::integer is not null then now() end
returning id

-- name: progress
-- How far a list is. $1 work, $2 bytes read, $3 rows read, $4 accepted, $5 rejected
update carillon.works w set seen = $2, rows_read = $3, done = $4, passed = jsonb_build_object('rejected', $5::integer),
  state = 'running', since = case when w.state = 'running' then w.since else now() end
where w.id = $1 and w.state in ('waiting', 'running')

-- name: added
-- Ends a list in the transaction that stores its people, and deletes the body. $1 work, $2 rows read, $3 accepted, $4
-- rejected, $5 the first rejects, $6 how many of the accepted were on the list already, $7 how many of these changed
with gone as (
  delete from carillon.work_pieces p where p.work_id = $1
), ended as (
  update carillon.works w set state = 'done', since = now(), ended_at = now(), seen = w.size, rows_read = $2, done = $3,
    passed = jsonb_build_object('rejected', $4::integer, 'known', $6::integer, 'changed', $7::integer), rejects = $5::jsonb
  where w.id = $1
  returning w.id, w.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e

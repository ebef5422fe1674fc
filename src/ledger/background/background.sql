-- name: page
-- Imported lists, or bulk acts, latest first. @at, @id: before this time and id, in microseconds; @only: only this one
-- (null: any); @areLists: whether lists; @campaignId: only of this campaign (null: of any)
select w.id, w.kind, w.asked, w.format, c.name as campaign, c.state as "campaignState", w.state, w.code, w.reason, w.since,
  w.size, w.seen, w.done, w.passed, w.rows_read as "rowsRead", w.rejects, w.created_at as "createdAt",
  w.ended_at as "endedAt", (extract(epoch from w.created_at) * 1000000)::bigint as at
from carillon.works w left join carillon.campaigns c on c.id = w.campaign_id
where (w.kind = 'import') = @areLists::boolean and (@only::uuid is null or w.id = @only) and (@campaignId::uuid is null
  or w.campaign_id = @campaignId)
  and (w.created_at, w.id) < (timestamptz 'epoch' + @at::double precision * interval '1 microsecond', @id::uuid)
order by w.created_at desc, w.id desc limit @most

-- name: open
-- Works that are not over, oldest first. Another process may be doing some of them: see the query lock.
-- @baseUrl: the service whose acts are meant (null: lists); @most: how many (null: all)
select w.id, w.campaign_id as "campaignId", w.format, w.options, w.size as bytes from carillon.works w
where w.state in ('waiting', 'running') and w.base_url is not distinct from @baseUrl::text
order by w.created_at, w.id limit @most

-- name: lock
-- Takes a work for this transaction, unless another process has it. The lock of a process that died is free at once.
-- @id: work
select pg_try_advisory_xact_lock(hashtextextended('carillon work ' || @id::text, 0)) as got

-- name: next
-- A work that is not over, with the next piece of an act; `people` is null after the last. Read after its lock was
-- taken. @id: work
select w.kind, w.filter, w.options, p.people::text[] as people
from carillon.works w left join carillon.work_pieces p on p.work_id = w.id and p.n = w.piece
where w.id = @id and w.state in ('waiting', 'running')

-- name: piece
-- One piece, in order; none after the last. @id: work; @n: number, from 0
select p.people::text[] as people, p.data from carillon.work_pieces p where p.work_id = @id and p.n = @n

-- name: end
-- Ends a work before its last piece: stopped by a person, or failed. The finished part of an act stays done; nothing of
-- a list was stored. @id: work
with ended as (
  update carillon.works w set state = @state, code = @code, reason = @reason, since = now(), ended_at = now(),
    done = case when w.kind = 'import' then 0 else w.done end, passed = case when w.kind = 'import' then '{}' else w.passed end
  where w.id = @id and w.state in ('waiting', 'running')
  returning w.id, w.kind, w.campaign_id
), gone as (
  delete from carillon.work_pieces p using ended e where p.work_id = e.id
), told as (
  insert into carillon.outbox (type, campaign_id, subject)
  select case when e.kind = 'import' then 'import.done' else 'bulk.done' end, e.campaign_id, e.id::text from ended e
)
select e.id from ended e

-- name: forget
-- Removes the people of exports that ended some time ago, and works that ended long ago.
-- @people: days for the people; @acts: for acts; @lists: for lists
with gone as (
  delete from carillon.work_pieces p using carillon.works w
  where w.id = p.work_id and w.ended_at < now() - @people::integer * interval '1 day'
)
delete from carillon.works w
where w.ended_at < now() - case when w.kind = 'import' then @lists::integer else @acts::integer end * interval '1 day'

-- name: create
-- A list that waits to be imported, whose pieces follow in the same transaction; or a list whose people are stored in
-- this transaction, kept to answer the same request again. @rows: rows read (null: it waits); @rejects: the first
-- rejects; @known: how many of the accepted were on the list already; @changed: how many of these changed
-- wakes
insert into carillon.works (kind, campaign_id, format, options, size, state, seen, rows_read, done, passed, rejects, ended_at)
select 'import', @campaignId::uuid, @format::text, @options::jsonb, @bytes::bigint, case when @rows::integer is null
  then 'waiting' else 'done' end,
  case when @rows::integer is null then 0 else @bytes::bigint end, coalesce(@rows::integer, 0),
    coalesce(@accepted::integer, 0),
  case when @rejected::integer is null then '{}' else jsonb_build_object(
    'rejected', @rejected::integer, 'known', @known::integer, 'changed', @changed::integer) end,
      coalesce(@rejects::jsonb, '[]'),
  case when @rows::integer is not null then now() end
returning id

-- name: progress
-- How far a list is. @id: work; @bytes: bytes read; @rows: rows read
update carillon.works w set seen = @bytes, rows_read = @rows, done = @accepted,
  passed = jsonb_build_object('rejected', @rejected::integer),
  state = 'running', since = case when w.state = 'running' then w.since else now() end
where w.id = @id and w.state in ('waiting', 'running')

-- name: added
-- Ends a list in the transaction that stores its people, and deletes the body. @id: work; @rows: rows read; @rejects:
-- the first rejects; @known: how many of the accepted were on the list already; @changed: how many of these changed
with gone as (
  delete from carillon.work_pieces p where p.work_id = @id
), ended as (
  update carillon.works w set state = 'done', since = now(), ended_at = now(), seen = w.size, rows_read = @rows,
    done = @accepted,
    passed = jsonb_build_object('rejected', @rejected::integer, 'known', @known::integer, 'changed',
      @changed::integer), rejects = @rejects::jsonb
  where w.id = @id
  returning w.id, w.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e

-- name: create
-- An act on the people who were found, in pieces. An export is done at once: its rows are read when they are asked for.
-- @filter: the filter as asked; @search: as it is read; @many: how many people; @piece: of a piece; @change: the record
-- of its end, as src/ledger/activity/activity.ts writes it
-- long
-- wakes
with made as (
  insert into carillon.works (base_url, kind, asked, filter, options, told, size, state, ended_at, seen, done)
  select @baseUrl::text, @act::text, @filter::jsonb, @search::jsonb, @options::jsonb, @change::jsonb, @many::integer,
    e.state, case when e.state = 'done' then now() end,
    case when e.state = 'done' then @many::integer else 0 end, case when e.state = 'done' then @many::integer else 0 end
  from (select case when @act::text = 'export' or @many::integer = 0 then 'done' else 'running' end as state) e
  returning id, state
), pieces as (
  insert into carillon.work_pieces (work_id, n, people)
  select m.id, p.n, p.people from made m cross join (
    select (x.nth - 1) / @piece::integer as n, array_agg(x.id order by x.nth) as people
    from unnest(@people::bigint[]) with ordinality as x(id, nth) group by 1
  ) p
), told as (
  insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from made m where m.state = 'done'
)
select m.id from made m

-- name: columns
-- The input columns of an export's people, from all their campaigns. @id: act
-- long
select distinct on (u.name) u.name, c.created_at as "createdAt", u.nth
from carillon.campaigns c cross join lateral unnest(c.columns) with ordinality as u(name, nth)
where c.id in (
  select r.campaign_id from carillon.work_pieces p
  cross join lateral unnest(p.people) as x(id)
  cross join lateral (select y.campaign_id from carillon.recipients y where y.id = x.id offset 0) r
  where p.work_id = @id)
order by u.name, c.created_at, u.nth

-- name: look
-- People with what decides whether an act is possible, ordered by id. `free`: no request of an unknown attempt can be
-- on its way any more; `later`: the next attempt has a time in the future.
select r.id, r.campaign_id as "campaignId", r.phone, c.base_url = @baseUrl as ours, c.kind, c.state as "campaignState",
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state, r.outcome, r.reason, a.id as attempt,
  a.call_id as "callId", a.reason as "unknownAs",
  coalesce(carillon.free_from(a.expires_at) < clock_timestamp(), false) as free, carillon.held_by(r.held, r.callback_at) as held,
  r.next_at > now() as later, exists (select from carillon.barring(r.phone, r.campaign_id)) as barred
from unnest(@people::bigint[]) p(id)
cross join lateral (select x.* from carillon.recipients x where x.id = p.id offset 0) r
cross join lateral (select d.base_url, d.kind, d.state from carillon.campaigns d where d.id = r.campaign_id offset 0) c
left join carillon.attempts a on a.recipient_id = r.id
order by r.id

-- name: lock_campaigns
-- Locks the campaigns of people for the transaction, in a fixed order: what a cancel skips must not be freed meanwhile.
select c.id from carillon.campaigns c
where c.id in (
  select x.campaign_id from unnest(@people::bigint[]) p(id)
  cross join lateral (select r.campaign_id from carillon.recipients r where r.id = p.id offset 0) x)
order by c.id for share

-- name: retry
-- Tries these people again, if they may be: see carillon.try_again.
-- @now: whether those who wait for another attempt are wanted too
select r.id, r.campaign_id as "campaignId" from carillon.try_again(@people::bigint[], @now::boolean) r

-- name: skip
-- Takes people off their lists, one by one in order: see carillon.remove_person.
select p.id, carillon.remove_person(p.id) as refusal from unnest(@people::bigint[]) with ordinality as p(id, nth)
  order by p.nth

-- name: advance
-- A piece is done, in the transaction that did it; the last one ends the act. An act that was stopped meanwhile stays
-- stopped. @id: act; @seen: how many people it had; @done: of how many the act was done; @passed: how many were passed
-- over by reason
with gone as (
  delete from carillon.work_pieces p using carillon.works b where b.id = @id and p.work_id = b.id and p.n = b.piece
), moved as (
  update carillon.works b set piece = b.piece + 1, seen = b.seen + @seen::integer, done = b.done + @done::integer,
    passed = b.passed || coalesce((
      select jsonb_object_agg(w.key, w.value::integer + coalesce((b.passed ->> w.key)::integer, 0))
      from jsonb_each_text(@passed::jsonb) w), '{}'),
    state = e.state, since = case when e.state = b.state then b.since else now() end,
    ended_at = case when e.state = 'done' then now() else b.ended_at end
  from (
    select x.id, case when x.state = 'running' and x.seen + @seen::integer >= x.size then 'done'
      else x.state end as state
    from carillon.works x where x.id = @id
  ) e
  where b.id = e.id
  returning b.id, b.state
)
insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from moved m where m.state = 'done'

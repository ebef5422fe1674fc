-- name: create
-- An act on the people who were found, in pieces. An export is done at once: its rows are read when they are asked for.
-- $1 service, $2 act, $3 the filter as asked, $4 as it is read, $5 options, $6 how many people, $7 the people, $8 of a
-- piece, $9 the record of its end, as src/ledger/activity/activity.ts writes it
-- long
-- wakes
with made as (
  insert into carillon.works (base_url, kind, asked, filter, options, told, size, state, ended_at, seen, done)
  select $1::text, $2::text, $3::jsonb, $4::jsonb, $5::jsonb, $9::jsonb, $6::integer, e.state, case when e.state = 'done' then now() end,
    case when e.state = 'done' then $6::integer else 0 end, case when e.state = 'done' then $6::integer else 0 end
  from (select case when $2::text = 'export' or $6::integer = 0 then 'done' else 'running' end as state) e
  returning id, state
), pieces as (
  insert into carillon.work_pieces (work_id, n, people)
  select m.id, p.n, p.people from made m cross join (
    select (x.nth - 1) / $8::integer as n, array_agg(x.id order by x.nth) as people
    from unnest($7::bigint[]) with ordinality as x(id, nth) group by 1
  ) p
), told as (
  insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from made m where m.state = 'done'
)
select m.id from made m

-- name: columns
-- The input columns of an export's people, from all their campaigns. $1 act
-- long
select distinct on (u.name) u.name, c.created_at as "createdAt", u.nth
from carillon.campaigns c cross join lateral unnest(c.columns) with ordinality as u(name, nth)
where c.id in (
  select r.campaign_id from carillon.work_pieces p
  cross join lateral unnest(p.people) as x(id)
  cross join lateral (select y.campaign_id from carillon.recipients y where y.id = x.id offset 0) r
  where p.work_id = $1)
order by u.name, c.created_at, u.nth

-- name: look
-- People with what decides whether an act is possible, ordered by id. `free`: no request of an unknown attempt can be
-- on its way any more; `later`: the next attempt has a time in the future. $1 people, $2 service
select r.id, r.campaign_id as "campaignId", r.phone, c.base_url = $2 as ours, c.kind, c.state as "campaignState",
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state, r.outcome, r.reason, a.id as attempt,
  a.call_id as "callId", a.reason as "unknownAs",
  coalesce(carillon.free_from(a.expires_at) < clock_timestamp(), false) as free, carillon.held_by(r.held, r.callback_at) as held,
  r.next_at > now() as later, exists (select from carillon.barring(r.phone, r.campaign_id)) as barred
from unnest($1::bigint[]) p(id)
cross join lateral (select x.* from carillon.recipients x where x.id = p.id offset 0) r
cross join lateral (select d.base_url, d.kind, d.state from carillon.campaigns d where d.id = r.campaign_id offset 0) c
left join carillon.attempts a on a.recipient_id = r.id
order by r.id

-- name: lock_campaigns
-- Locks the campaigns of people for the transaction, in a fixed order: what a cancel skips must not be freed meanwhile.
-- $1 people
select c.id from carillon.campaigns c
where c.id in (
  select x.campaign_id from unnest($1::bigint[]) p(id)
  cross join lateral (select r.campaign_id from carillon.recipients r where r.id = p.id offset 0) x)
order by c.id for share

-- name: retry
-- Tries these people again, if they may be: see carillon.try_again. $1 people, $2 whether those who wait for another
-- attempt are wanted too
select r.id, r.campaign_id as "campaignId" from carillon.try_again($1::bigint[], $2::boolean) r

-- name: skip
-- Takes people off their lists, one by one in order: see carillon.remove_person. $1 people
select p.id, carillon.remove_person(p.id) as refusal from unnest($1::bigint[]) with ordinality as p(id, nth) order by p.nth

-- name: advance
-- A piece is done, in the transaction that did it; the last one ends the act. An act that was stopped meanwhile stays
-- stopped. $1 act, $2 how many people it had, $3 of how many the act was done, $4 how many were passed over by reason
with gone as (
  delete from carillon.work_pieces p using carillon.works b where b.id = $1 and p.work_id = b.id and p.n = b.piece
), moved as (
  update carillon.works b set piece = b.piece + 1, seen = b.seen + $2::integer, done = b.done + $3::integer,
    passed = b.passed || coalesce((
      select jsonb_object_agg(w.key, w.value::integer + coalesce((b.passed ->> w.key)::integer, 0))
      from jsonb_each_text($4::jsonb) w), '{}'),
    state = e.state, since = case when e.state = b.state then b.since else now() end,
    ended_at = case when e.state = 'done' then now() else b.ended_at end
  from (
    select x.id, case when x.state = 'running' and x.seen + $2::integer >= x.size then 'done' else x.state end as state
    from carillon.works x where x.id = $1
  ) e
  where b.id = e.id
  returning b.id, b.state
)
insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from moved m where m.state = 'done'

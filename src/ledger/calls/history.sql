-- What happened to a recipient, in order, limited to the latest: what its attempts show, and what the history adds. $1
-- recipient, $2 how many
with tries as (
  select a.id, a.planned_at, case when a.state in ('dialing', 'placed', 'unknown') then a.dialing_at end as dialing_at,
    a.placed_at, null::timestamptz as ended_at, null as state, null as detail
  from carillon.attempts a where a.recipient_id = $1
  union all
  select e.id, e.planned_at, case when e.was in ('dialing', 'placed', 'unknown') then e.dialing_at end, e.placed_at,
    e.ended_at, e.state, coalesce(e.outcome, case when e.state <> 'done' then coalesce(e.detail, e.reason) end)
  from carillon.ended_attempts e where e.recipient_id = $1
)
select x.at, x.kind, x.detail, x.attempt from (
  select * from (
    select t.planned_at as at, 'planned' as kind, null as detail, t.id as attempt, 1 as place from tries t
    union all
    select t.dialing_at, 'dialing', null, t.id, 2 from tries t
    where t.dialing_at is not null and not exists (select from carillon.history h
      where h.recipient_id = $1 and h.at = t.dialing_at and h.attempt_id = t.id and h.kind = 'dialing')
    union all
    select t.placed_at, 'placed', null, t.id, 3 from tries t where t.placed_at is not null
    union all
    select h.at, h.kind, h.detail, h.attempt_id, 4 from carillon.history h where h.recipient_id = $1
    union all
    select t.ended_at, t.state, t.detail, t.id, 5 from tries t where t.ended_at is not null
  ) y order by y.at desc, y.place desc limit $2
) x order by x.at, x.place

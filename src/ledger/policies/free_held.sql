-- Rows that an older version of the contact rules holds are judged again: some at a time. A row that is not waiting any more
-- only loses the mark. $1 how many
with held as materialized (
  select r.id from carillon.recipients r
  where r.held_under < (select max(p.version) from carillon.policies p)
  order by r.held_under limit $1 for update skip locked
), freed as (
  update carillon.recipients r
  set held = null, held_under = null, next_at = case when r.state = 'waiting' then now() else r.next_at end,
    updated_at = now()
  from held h where r.id = h.id
)
select count(*)::integer as freed from held

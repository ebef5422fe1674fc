-- Rows that an older version of the contact rules holds are judged again: some at a time. One that waits for another attempt,
-- too, waits for its time. A row that is not waiting any more only loses the mark. $1 how many
with held as materialized (
  select r.id from carillon.recipients r
  where r.held_under < (select max(p.version) from carillon.policies p)
  order by r.held_under limit $1 for update skip locked
), freed as (
  update carillon.recipients r
  set held = null, held_under = null, retry_at = null, updated_at = now(),
    next_at = case when r.state = 'waiting' then greatest(now(), r.retry_at) else r.next_at end
  from held h where r.id = h.id
)
select count(*)::integer as freed from held

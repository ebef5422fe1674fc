-- A planned attempt that must not be dialled any more. $1 attempt, $2 why
with moved as (
  update carillon.attempts a set state = 'dropped', reason = $2, ended_at = now()
  where a.id = $1 and a.state in ('planned', 'parked')
  returning a.id, a.recipient_id
), people as (
  update carillon.recipients r
  set state = case when r.outcome is null then 'skipped' else 'done' end,
    reason = case when r.outcome is null then $2 end, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

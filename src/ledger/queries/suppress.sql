-- Acts at once: who is not yet being called is skipped. $1 phones, $2 why
-- long
with added as (
  insert into carillon.suppressions (phone, reason) select p, $2 from unnest($1::text[]) p
  on conflict (phone) do nothing returning phone
), people as (
  select r.id from carillon.recipients r
  where r.phone = any ($1::text[]) and (r.state in ('waiting', 'parked')
    -- Whom a planner takes up at this moment is left to the dialer, who asks again before anybody is called.
    or (r.state = 'queued' and exists (select from carillon.attempts a
      where a.id = r.attempt_id and a.state in ('planned', 'parked'))))
  order by r.id for update
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'suppressed', ended_at = now()
  from people p where a.recipient_id = p.id and a.state in ('planned', 'parked')
), skipped as (
  update carillon.recipients r
  set state = case when r.outcome is null then 'skipped' else 'done' end, reason = 'suppressed', updated_at = now()
  from people p where r.id = p.id
  returning r.id
)
select (select count(*)::integer from added) as added, (select count(*)::integer from skipped) as skipped

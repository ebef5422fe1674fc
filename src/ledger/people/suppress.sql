-- Takes effect at once: anyone who is not yet being called is skipped. $1 phones, $2 why
-- long
with added as (
  insert into carillon.suppressions (phone, reason) select p, $2 from unnest($1::text[]) p
  on conflict (phone) do nothing returning phone
), people as (
  select r.id, a.id as attempt from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.phone = any ($1::text[])
    -- A person whom a planner claims at this moment is left to the dialer, which checks again before it calls.
    and (r.state in ('waiting', 'parked') or (r.state = 'live' and a.state in ('planned', 'parked')))
  order by r.id for update of r
), dropped as (
  select e.recipient_id from carillon.end_attempts(
    array(select p.attempt from people p where p.attempt is not null), '{planned,parked}', 'dropped', 'suppressed', null) e
), skipped as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
  from people p where r.id = p.id and (p.attempt is null or r.id in (select d.recipient_id from dropped d))
  returning r.id
)
select (select count(*)::integer from added) as added, (select count(*)::integer from skipped) as skipped

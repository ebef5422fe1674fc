-- People whom the order never lets through: those already on the list are skipped with the reason; for others the row
-- is rejected. Returns how many were on the list. $1 campaign
with known as (
  select r.id, s.row, s.never from stage s
  join carillon.recipients r on r.campaign_id = $1 and r.phone = s.phone and r.ref = s.ref
  where s.never is not null
), held as (
  select r.id, a.id as attempt from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.id in (select k.id from known k) and carillon.may_skip(r.state, a.state)
  for update of r
), dropped as (
  select e.recipient_id from carillon.end_attempts(
    array(select h.attempt from held h where h.attempt is not null), '{planned,parked}', 'dropped', 'never', null) e
), skipped as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = k.never, row = k.row, updated_at = now()
  from held h join known k on k.id = h.id
  where r.id = h.id and (h.attempt is null or r.id in (select d.recipient_id from dropped d))
), refused as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select $1, s.row, s.never, s.input from stage s
  where s.never is not null and not exists (
    select from carillon.recipients r where r.campaign_id = $1 and r.phone = s.phone and r.ref = s.ref)
  order by s.row
)
select count(*)::integer as known from known

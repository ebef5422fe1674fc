-- People whom the order never lets through: on the list already, they are skipped with the reason; else the row is
-- rejected. Answers how many were on the list. $1 campaign
with known as (
  select r.id, s.row, s.never from stage s
  join carillon.recipients r on r.campaign_id = $1 and r.phone = s.phone and r.ref = s.ref
  where s.never is not null
), held as (
  select r.id from carillon.recipients r
  where r.id in (select k.id from known k) and (r.state in ('waiting', 'parked')
    or (r.state = 'queued' and exists (
      select from carillon.attempts a where a.id = r.attempt_id and a.state in ('planned', 'parked'))))
  for update
), dropped as (
  update carillon.attempts a set state = 'dropped', reason = 'never', ended_at = now()
  from held h where a.recipient_id = h.id and a.state in ('planned', 'parked')
), skipped as (
  update carillon.recipients r
  set state = case when r.outcome is null then 'skipped' else 'done' end, reason = k.never, row = k.row, updated_at = now()
  from held h join known k on k.id = h.id where r.id = h.id
), refused as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select $1, s.row, s.never, s.input from stage s
  where s.never is not null and not exists (
    select from carillon.recipients r where r.campaign_id = $1 and r.phone = s.phone and r.ref = s.ref)
  order by s.row
)
select count(*)::integer as known from known

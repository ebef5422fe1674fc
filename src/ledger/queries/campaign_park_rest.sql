-- A run that leaves on 402 parks the rows it did not come to. $1 campaign, $2 why
-- long
with moved as (
  update carillon.attempts a set state = 'dropped', reason = 'parked', ended_at = now()
  where a.campaign_id = $1 and a.state = 'planned'
)
update carillon.recipients r set state = 'parked', reason = $2, updated_at = now()
where r.campaign_id = $1 and (r.state = 'waiting' or (r.state = 'queued' and exists (
  select from carillon.attempts a where a.id = r.attempt_id and a.state = 'planned')))

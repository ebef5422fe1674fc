-- A run that leaves on 402 parks the rows it did not get to. $1 campaign, $2 why
-- long
with moved as (
  select e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.campaign_id = $1 and a.state = 'planned'),
    '{planned}', 'dropped', 'parked', null) e
)
update carillon.recipients r set state = 'parked', reason = $2, updated_at = now()
where r.campaign_id = $1 and (r.state = 'waiting' or r.id in (select m.recipient_id from moved m))

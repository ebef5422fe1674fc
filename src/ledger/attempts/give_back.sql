-- Plans that cannot be dialled now: the people wait again in their old places, and the lane has room for others.
-- $1 attempts, $2 why
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts($1::uuid[], '{planned}', 'dropped', $2, null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

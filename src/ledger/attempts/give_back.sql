-- Plans that cannot be dialled now: the people wait again in their old places, and the lane has room for others. $1
-- attempts, $2 why
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts($1::uuid[], '{planned}', 'dropped', $2, null) e
), people as (
  update carillon.recipients r
  set state = case when c.state <> 'canceled' then 'waiting' else carillon.end_state(r.outcome) end,
    reason = case when c.state = 'canceled' then 'campaign canceled' end, updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id where r.id = m.recipient_id
)
select id from moved

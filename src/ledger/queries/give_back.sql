-- Plans whose window closed before they were dialled: the people wait again in their old places, and what they took
-- of the lane is free for others. $1 attempts
with mine as (
  select a.id from carillon.attempts a where a.id = any ($1::uuid[]) and a.state = 'planned' order by a.id for update
), moved as (
  update carillon.attempts a set state = 'dropped', reason = 'the window closed', ended_at = now()
  from mine m where a.id = m.id
  returning a.id, a.recipient_id, a.campaign_id
), people as (
  update carillon.recipients r
  set state = case when c.state <> 'canceled' then 'waiting' when r.outcome is null then 'skipped' else 'done' end,
    reason = case when c.state = 'canceled' then 'campaign canceled' end, attempt_id = null, updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id where r.id = m.recipient_id
)
select id from moved

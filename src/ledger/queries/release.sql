-- What was planned and never dialled goes back to waiting, when a run ends; a plan that crossed with a cancel does
-- not. $1 campaign, $2 why
with moved as (
  update carillon.attempts a set state = 'dropped', reason = $2, ended_at = now()
  where a.campaign_id = $1 and a.state = 'planned'
  returning a.id, a.recipient_id
), people as (
  update carillon.recipients r
  set state = case when c.state <> 'canceled' then 'waiting' when r.outcome is null then 'skipped' else 'done' end,
    reason = case when c.state = 'canceled' then 'campaign canceled' end, attempt_id = null, updated_at = now()
  from moved m, carillon.campaigns c where r.id = m.recipient_id and c.id = $1
)
select count(*)::integer as released from moved

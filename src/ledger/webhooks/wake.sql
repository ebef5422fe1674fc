-- The address took an event: everything that waits for it is tried at once. Of one that was active, the tries of what waits
-- were those of the events, and still count. $1 id
with before as (
  select w.id, w.state from carillon.webhooks w
  where w.id = $1
    and (w.state <> 'active' or exists (select from carillon.webhook_holds h where h.webhook_id = w.id))
  for update
), woken as (
  update carillon.webhooks w
  set state = 'active', reason = null, since = case when b.state = 'active' then w.since else now() end, tries = 0,
    next_at = null, revision = w.revision + 1
  from before b where w.id = b.id
  returning w.id
), now_due as (
  update carillon.webhook_holds h
  set tries = case when b.state = 'active' then h.tries else 0 end,
    since = case when b.state = 'active' then h.since end, next_at = null
  from before b where h.webhook_id = b.id
)
select id from woken

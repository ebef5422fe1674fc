-- A person has asked: the address is tried again at once, with everything that waits for it. $1 id
with woken as (
  update carillon.webhooks w
  set state = 'active', reason = null, since = now(), tries = 0, next_at = null, revision = w.revision + 1
  where w.id = $1 and w.state <> 'active'
  returning w.id
), now_due as (
  update carillon.webhook_holds h set tries = 0, since = null, next_at = null
  from woken k where h.webhook_id = k.id
)
select id from woken

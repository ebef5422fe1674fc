-- Begins again after an event: later ones are delivered again, and those that waited for them are among these.
-- $1 id, $2 the number of the event
with moved as (
  update carillon.webhooks w
  set cursor = least(w.cursor, $2::bigint), state = 'active', reason = null, since = now(), tries = 0, next_at = null,
    revision = w.revision + 1
  where w.id = $1
  returning w.id, w.cursor
), gone as (
  delete from carillon.webhook_holds h using moved m where h.webhook_id = m.id and h.number > m.cursor
), now_due as (
  update carillon.webhook_holds h set tries = 0, since = null, next_at = null
  from moved m where h.webhook_id = m.id and h.number <= m.cursor
)
select cursor from moved

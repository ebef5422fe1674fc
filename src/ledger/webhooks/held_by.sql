-- What this process delivers to, as it is now; `leaseMs` is how long it still holds it. $1 holder
select w.id, w.url, w.secret, w.events, w.state, w.reason, w.since, w.tries, w.next_at as "nextAt", w.cursor, w.revision,
  w.delivered, w.failed,
  extract(epoch from w.held_until - clock_timestamp())::double precision * 1000 as "leaseMs"
from carillon.webhooks w where w.holder = $1 and w.state <> 'resting'

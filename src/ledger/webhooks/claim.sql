-- Takes addresses that nobody holds, or whose holder is gone, and holds those of this process for longer. One that rests is
-- not held. $1 holder, $2 seconds, $3 how many new ones, $4 hold longer what ends within so many seconds,
-- $5 with what a secret must begin: another process can open the others
with free as (
  select w.id from carillon.webhooks w
  where w.state <> 'resting' and w.holder is distinct from $1 and coalesce(w.held_until < clock_timestamp(), true)
    and starts_with(w.secret, $5)
  order by w.created_at limit $3 for update skip locked
), own as (
  select w.id from carillon.webhooks w
  where w.holder = $1 and w.held_until < clock_timestamp() + make_interval(secs => $4)
  for update
)
update carillon.webhooks w set holder = $1, held_until = clock_timestamp() + make_interval(secs => $2)
from (select id from free union all select id from own) x where w.id = x.id
returning w.id

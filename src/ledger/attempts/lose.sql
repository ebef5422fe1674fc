-- The request may have reached the service, but no readable answer came: unknown, until a person or a late answer says.
-- $1 [{id, reason, detail, ticket}]
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(id uuid, reason text, detail text, ticket uuid)
  order by id
), before as (
  select x.* from answer x
  join lateral (
    select a.id from carillon.attempts a where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
)
update carillon.attempts a set state = 'unknown', reason = x.reason, detail = x.detail
from before x where a.id = x.id
returning a.id

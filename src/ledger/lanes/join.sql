-- The lanes of a service, made when they are first seen. A lane that another process makes at this moment is returned
-- too: an insert that did nothing would not see it. $1 service, $2 key names
with lane as (
  insert into carillon.lanes (base_url, name) select $1, n from unnest($2::text[]) n order by n
  on conflict (base_url, name) do update set name = excluded.name
  returning *
)
select id, name, state, reason, since, losses, probe_at as "probeAt", probe_attempt as "probeAttempt"
from lane order by name

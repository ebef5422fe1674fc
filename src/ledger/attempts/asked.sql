-- A poll was answered and the call continues; or the answer said nothing, and why. $1 [{id, status, nextPollAt, why}]
update carillon.attempts a
set polls = a.polls + 1, status = coalesce(x.status, a.status), next_poll_at = x."nextPollAt", detail = x.why
from (
  select x.* from jsonb_to_recordset($1::jsonb) as x(id uuid, status text, "nextPollAt" timestamptz, why text)
  join lateral (
    select a.id from carillon.attempts a where a.id = x.id and a.state = 'placed' for update
  ) b on b.id = x.id
) x
where a.id = x.id
returning a.id

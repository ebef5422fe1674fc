-- These people wait again, each until a time. Nothing is changed when the order is another one by now: the times follow
-- from it. $1 campaign, $2 its revision, $3 [{id, at}]
with campaign as (
  select c.id from carillon.campaigns c where c.id = $1 and c.revision = $2 and c.state <> 'canceled' for share
)
update carillon.recipients r set state = 'waiting', held = null, held_under = null, retry_at = null,
  next_at = x.at, updated_at = now()
from campaign c, jsonb_to_recordset($3::jsonb) as x(id bigint, at timestamptz)
where r.id = x.id and r.campaign_id = c.id and r.state = 'done' and r.erased_at is null
  and not exists (select from carillon.barring(r.phone, r.campaign_id))
returning r.id

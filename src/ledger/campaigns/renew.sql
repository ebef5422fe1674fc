-- name: to_renew
-- Campaigns whose order allows more attempts than before, and whose people are not all renewed. $1 service
select c.id from carillon.campaigns c where c.base_url = $1 and c.renewing is not null

-- name: renewable
-- People who were done because no more attempts were allowed, and who have some now: how they ended so far, and when
-- the last call did. People who were taken off the list are left out.
-- $1 campaign, $2 outcomes with a retry rule, $3 the row and $4 the id after which it begins, $5 how many
-- long
select r.id, r.row, r.place, r.attempts, r.granted, r.callbacks, carillon.tries_of(r.id) as tries, e.ended_at as "endedAt"
from carillon.recipients r
join carillon.campaigns c on c.id = r.campaign_id
cross join lateral (
  select x.ended_at from carillon.ended_attempts x where x.recipient_id = r.id and x.outcome is not null
  order by x.number desc limit 1
) e
where r.campaign_id = $1 and r.state = 'done' and r.reason is null and r.erased_at is null and r.outcome = any ($2::text[])
  and r.attempts < carillon.most_tries(c.max_attempts, r) and (r.row, r.id) > ($3::integer, $4::bigint)
order by r.row, r.id limit $5

-- name: renew_people
-- These people wait again, each until a time. Nothing changes if the order is another one by now, because the times
-- follow from it. $1 campaign, $2 its revision, $3 [{id, at}]
with campaign as (
  select c.id from carillon.campaigns c where c.id = $1 and c.revision = $2 and c.state <> 'canceled' for share
)
update carillon.recipients r set state = 'waiting', held = null, held_under = null, retry_at = null,
  callback_at = null, next_at = x.at, updated_at = now()
from campaign c, jsonb_to_recordset($3::jsonb) as x(id bigint, at timestamptz)
where r.id = x.id and r.campaign_id = c.id and r.state = 'done' and r.erased_at is null
  and (r.several or not exists (select from carillon.barring(r.phone, r.campaign_id)))
returning r.id

-- name: renewed
-- Everyone who may be tried again waits, unless the order has allowed still more meanwhile.
-- $1 campaign, $2 the revision that allowed more
update carillon.campaigns set renewing = null where id = $1 and renewing = $2

-- name: wake
-- People of a campaign that was done wait again. If the background workers drive it, it continues; a run's campaign
-- rests until a person continues it. $1 campaign
update carillon.campaigns c
set state = case when c.driver = 'background' then 'running' else 'paused' end, faults = 0, updated_at = now(),
  reason = case when c.driver = 'background' then null else 'people wait again; run or resume it' end
where c.id = $1 and c.state = 'done' and c.superseded_at is null
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')

-- name: ids
-- The campaigns of a service that are not over. $1 service
select c.id from carillon.campaigns c where c.base_url = $1 and (c.state in ('running', 'paused') or c.evergreen)

-- name: keep
-- A campaign as it stands, which nobody changes until the transaction ends. $1 campaign
select c.id, c.state, c.revision, c.reason from carillon.campaigns c where c.id = $1 for no key update

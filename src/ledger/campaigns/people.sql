-- name: clone_people
-- Copies the people of one campaign to another, which has nobody yet: in their places, as not called. People who were
-- taken off the list stay off it, and erased people are not copied.
-- long
with made as (
  insert into carillon.recipients (campaign_id, row, phone, name, agent, place, input, variables, several, state, reason)
  select @to, r.row, n.phone, r.name, r.agent, n.place, r.input, r.variables, r.several,
    case when x.phone is null or r.several then 'waiting' else 'skipped' end,
    case when x.phone is null or r.several then null else 'suppressed' end
  from carillon.recipients r
  -- Who has several numbers begins with the first.
  cross join lateral (
    select * from (
      select p.phone, p.place, p.nth from carillon.phones p where r.several and p.recipient_id = r.id and p.passed is null
      union all
      select r.phone, r.place, 100
    ) y order by y.nth limit 1
  ) n
  left join lateral (
    select b.phone from carillon.barring(r.phone, null) b limit 1
  ) x on true
  where r.campaign_id = @from and r.erased_at is null
    and not (r.state = 'skipped' and coalesce(r.reason in ('removed', 'not in the file any more'), false))
  order by r.row, r.id
  returning id, state, place
), named as (
  update carillon.campaigns c set columns = o.columns from carillon.campaigns o where c.id = @to and o.id = @from
), placed as (
  insert into carillon.campaign_places (campaign_id, place) select distinct @to::uuid, m.place from made m
  on conflict do nothing
), told as (
  insert into carillon.outbox (type, campaign_id, recipients)
  select 'recipient.skipped', @to, array_agg(m.id order by m.id)
  from (select x.id, row_number() over (order by x.id) / 1000 as part from made x where x.state = 'skipped') m
  group by m.part order by m.part
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select @to, m.place, '-infinity', 0, '', count(*) from made m where m.state = 'waiting' group by m.place
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select @to, m.state, count(*) from made m group by m.state
)
select count(*)::integer as people from made

-- name: clone_phones
-- Copies the numbers of people who have several, after the people.
with made as (
  insert into carillon.phones (recipient_id, nth, campaign_id, phone, place, passed)
  -- What the service or the hours said of a number was said of the other campaign.
  select t.id, p.nth, @to::uuid, p.phone, p.place, case when p.phone = '' then p.passed end
from carillon.recipients t
join carillon.recipients f on f.campaign_id = @from and f.row = t.row and f.several
join carillon.phones p on p.recipient_id = f.id
where t.campaign_id = @to and t.several and exists (
  select from carillon.phones o where o.recipient_id = f.id and o.phone = t.phone)
  returning phone, place
)
insert into carillon.campaign_places (campaign_id, place)
select distinct @to::uuid, m.place from made m where m.phone <> ''
on conflict do nothing

-- name: delete_start
-- Marks a campaign as deleted: see carillon.start_delete. @campaignId: id
select carillon.start_delete(@campaignId) as refusal

-- name: delete_some
-- Deletes at most this many rows of a marked campaign: see carillon.delete_some. @campaignId: id; @batch: how many
select carillon.delete_some(@campaignId, @batch) as gone

-- name: delete_end
-- Deletes a marked campaign that has nobody left: see carillon.finish_delete. @campaignId: id
select carillon.finish_delete(@campaignId) as done

-- name: to_renew
-- Campaigns whose order allows more attempts than before, and whose people are not all renewed.
select c.id from carillon.campaigns c where c.base_url = @baseUrl and c.renewing is not null

-- name: renewable
-- People who were done because no more attempts were allowed, and who have some now: how they ended so far, and when
-- the last call did. People who were taken off the list are left out.
-- @outcomes: outcomes with a retry rule; @row: the row and @afterId the id after which it begins; @batch: how many
-- long
select r.id, r.row, r.place, r.attempts, r.granted, r.callbacks, carillon.tries_of(r.id) as tries, e.ended_at as "endedAt"
from carillon.recipients r
join carillon.campaigns c on c.id = r.campaign_id
cross join lateral (
  select x.ended_at from carillon.ended_attempts x where x.recipient_id = r.id and x.outcome is not null
  order by x.number desc limit 1
) e
where r.campaign_id = @campaignId and r.state = 'done' and r.reason is null and r.erased_at is null
  and r.outcome = any (@outcomes::text[])
  and r.attempts < carillon.most_tries(c.max_attempts, r) and (r.row, r.id) > (@row::integer, @afterId::bigint)
order by r.row, r.id limit @batch

-- name: renew_people
-- These people wait again, each until a time. Nothing changes if the order is another one by now, because the times
-- follow from it. @people: [{id, at}]
with campaign as (
  select c.id from carillon.campaigns c where c.id = @campaignId and c.revision = @revision
    and c.state <> 'canceled' for share
)
update carillon.recipients r set state = 'waiting', held = null, held_under = null, retry_at = null,
  callback_at = null, next_at = x.at, updated_at = now()
from campaign c, jsonb_to_recordset(@people::jsonb) as x(id bigint, at timestamptz)
where r.id = x.id and r.campaign_id = c.id and r.state = 'done' and r.erased_at is null
  and (r.several or not exists (select from carillon.barring(r.phone, r.campaign_id)))
returning r.id

-- name: renewed
-- Everyone who may be tried again waits, unless the order has allowed still more meanwhile.
-- @revision: that allowed more
update carillon.campaigns set renewing = null where id = @campaignId and renewing = @revision

-- name: wake
-- People of a campaign that was done wait again. If the background workers drive it, it continues; a run's campaign
-- rests until a person continues it.
update carillon.campaigns c
set state = case when c.driver = 'background' then 'running' else 'paused' end, faults = 0, updated_at = now(),
  reason = case when c.driver = 'background' then null else 'people wait again; run or resume it' end
where c.id = @campaignId and c.state = 'done' and c.superseded_at is null
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')

-- name: ids
-- The campaigns of a service that are not over.
select c.id from carillon.campaigns c where c.base_url = @baseUrl and (c.state in ('running', 'paused') or c.evergreen)

-- name: keep
-- A campaign as it stands, which nobody changes until the transaction ends.
select c.id, c.state, c.revision, c.reason from carillon.campaigns c where c.id = @campaignId for no key update

-- name: places
-- The distinct places of a campaign's people.
select place from carillon.campaign_places where campaign_id = @campaignId

-- name: forget
-- Deletes a campaign that never had any recipients, with all its traces. @campaignId: id
with rows as (delete from carillon.rejects j where j.campaign_id = @campaignId
  and not exists (select from carillon.recipients r where r.campaign_id = @campaignId)
), counts as (delete from carillon.tallies t where t.campaign_id = @campaignId
  and not exists (select from carillon.recipients r where r.campaign_id = @campaignId)
), deltas as (delete from carillon.tally_deltas t where t.campaign_id = @campaignId
  and not exists (select from carillon.recipients r where r.campaign_id = @campaignId)
)
delete from carillon.campaigns c where c.id = @campaignId
  and not exists (select from carillon.recipients r where r.campaign_id = @campaignId)

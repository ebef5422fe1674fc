-- name: clone_people
-- Copies the people of one campaign to another, which has nobody yet: in their places, as not called. People who were
-- taken off the list stay off it, and erased people are not copied. $1 from, $2 to
-- long
with made as (
  insert into carillon.recipients (campaign_id, row, phone, name, agent, place, input, variables, several, state, reason)
  select $2, r.row, n.phone, r.name, r.agent, n.place, r.input, r.variables, r.several,
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
  where r.campaign_id = $1 and r.erased_at is null
    and not (r.state = 'skipped' and coalesce(r.reason in ('removed', 'not in the file any more'), false))
  order by r.row, r.id
  returning id, state, place
), named as (
  update carillon.campaigns c set columns = o.columns from carillon.campaigns o where c.id = $2 and o.id = $1
), placed as (
  insert into carillon.campaign_places (campaign_id, place) select distinct $2::uuid, m.place from made m
  on conflict do nothing
), told as (
  insert into carillon.outbox (type, campaign_id, recipients)
  select 'recipient.skipped', $2, array_agg(m.id order by m.id)
  from (select x.id, row_number() over (order by x.id) / 1000 as part from made x where x.state = 'skipped') m
  group by m.part order by m.part
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select $2, m.place, '-infinity', 0, '', count(*) from made m where m.state = 'waiting' group by m.place
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select $2, m.state, count(*) from made m group by m.state
)
select count(*)::integer as people from made

-- name: clone_phones
-- Copies the numbers of people who have several, after the people. $1 from, $2 to
with made as (
  insert into carillon.phones (recipient_id, nth, campaign_id, phone, place, passed)
  -- What the service or the hours said of a number was said of the other campaign.
  select t.id, p.nth, $2::uuid, p.phone, p.place, case when p.phone = '' then p.passed end
from carillon.recipients t
join carillon.recipients f on f.campaign_id = $1 and f.row = t.row and f.several
join carillon.phones p on p.recipient_id = f.id
where t.campaign_id = $2 and t.several and exists (
  select from carillon.phones o where o.recipient_id = f.id and o.phone = t.phone)
  returning phone, place
)
insert into carillon.campaign_places (campaign_id, place)
select distinct $2::uuid, m.place from made m where m.phone <> ''
on conflict do nothing

-- name: delete_start
-- Marks a campaign as deleted: see carillon.start_delete. $1 id
select carillon.start_delete($1) as refusal

-- name: delete_some
-- Deletes at most this many rows of a marked campaign: see carillon.delete_some. $1 id, $2 how many
select carillon.delete_some($1, $2) as gone

-- name: delete_end
-- Deletes a marked campaign that has nobody left: see carillon.finish_delete. $1 id
select carillon.finish_delete($1) as done

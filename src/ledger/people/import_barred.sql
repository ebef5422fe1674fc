-- After rows went straight into a list: who must not be called, the list's places, and what was added. Returns how many
-- are barred. $1 campaign, $2 how many were added, $3 the list's last row before
with added as (
  insert into carillon.tally_deltas (campaign_id, name, n) select $1::uuid, 'waiting', $2::integer where $2::integer > 0
), barred as (
  update carillon.recipients r set state = 'skipped', reason = 'suppressed'
  from carillon.barred x where r.campaign_id = $1 and r.row > $3::integer and x.phone = r.phone and r.state = 'waiting'
    and (x.campaign_id is null or x.campaign_id = r.campaign_id)
  returning r.id
), places as (
  -- As they were before any was barred: the triggers count those that change.
  select r.place, count(*) as n from carillon.recipients r where r.campaign_id = $1 and r.row > $3::integer
  group by r.place
), zoned as (
  insert into carillon.campaign_places (campaign_id, place) select $1::uuid, p.place from places p
  on conflict do nothing
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select $1::uuid, p.place, '-infinity', 0, '', p.n from places p
)
select count(*)::integer as barred from barred

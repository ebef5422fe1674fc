-- After an import straight into an empty list: who must not be called, the list's zones, and what was added. Returns
-- how many are barred. $1 campaign, $2 how many were added
with added as (
  insert into carillon.tally_deltas (campaign_id, name, n) select $1::uuid, 'waiting', $2::integer where $2::integer > 0
), barred as (
  update carillon.recipients r set state = 'skipped', reason = 'suppressed'
  from carillon.barred x where r.campaign_id = $1 and x.phone = r.phone and r.state = 'waiting'
    and (x.campaign_id is null or x.campaign_id = r.campaign_id)
  returning r.id
), zoned as (
  insert into carillon.campaign_zones (campaign_id, zones)
  select distinct $1::uuid, r.zones from carillon.recipients r where r.campaign_id = $1
  on conflict do nothing
)
select count(*)::integer as barred from barred

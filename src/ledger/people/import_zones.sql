-- $1 campaign
insert into carillon.campaign_zones (campaign_id, zones) select distinct $1::uuid, zones from stage where never is null
on conflict do nothing

-- $1 campaign
insert into carillon.campaign_places (campaign_id, place) select distinct $1::uuid, place from stage where never is null
on conflict do nothing

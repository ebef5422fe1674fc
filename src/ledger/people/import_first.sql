-- Whether nobody is on the campaign yet: then its people need no stage. $1 campaign
select not exists (select from carillon.recipients r where r.campaign_id = $1) as first

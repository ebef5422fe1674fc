-- What was ever imported into the campaign: if nothing, its people and rejects need no stage. $1 campaign
select exists (select from carillon.recipients r where r.campaign_id = $1) as people,
  exists (select from carillon.rejects j where j.campaign_id = $1) as rejects

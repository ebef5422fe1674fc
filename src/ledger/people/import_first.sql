-- Whether nothing was ever imported into the campaign: then its people and rejects need no stage. $1 campaign
select not exists (select from carillon.recipients r where r.campaign_id = $1)
  and not exists (select from carillon.rejects j where j.campaign_id = $1) as first

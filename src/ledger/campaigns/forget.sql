-- Deletes a campaign that never had any recipients, with all its traces. $1 id
with rows as (delete from carillon.rejects j where j.campaign_id = $1
  and not exists (select from carillon.recipients r where r.campaign_id = $1)
), counts as (delete from carillon.tallies t where t.campaign_id = $1
  and not exists (select from carillon.recipients r where r.campaign_id = $1)
), deltas as (delete from carillon.tally_deltas t where t.campaign_id = $1
  and not exists (select from carillon.recipients r where r.campaign_id = $1)
)
delete from carillon.campaigns c where c.id = $1
  and not exists (select from carillon.recipients r where r.campaign_id = $1)

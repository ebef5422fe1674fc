-- What an import that adds to a list goes on from. $1 campaign
select c.mapped, greatest(
  coalesce((select max(r.row) from carillon.recipients r where r.campaign_id = c.id), 0),
  coalesce((select max(j.row) from carillon.rejects j where j.campaign_id = c.id), 0)) as "lastRow"
from carillon.campaigns c where c.id = $1

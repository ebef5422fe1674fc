-- The last row of a list to which an import adds. $1 campaign
select greatest(
  coalesce((select max(r.row) from carillon.recipients r where r.campaign_id = $1), 0),
  coalesce((select max(j.row) from carillon.rejects j where j.campaign_id = $1), 0)) as "lastRow"

-- One recipient with the result of the latest attempt. $1 recipient
select r.*, c.id as "campaignId", c.name as campaign
from carillon.results r
join carillon.campaigns c on c.id = r.campaign_id
where r.id = $1

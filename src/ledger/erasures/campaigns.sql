-- On how many people of how many campaigns a phone stands. $1 phone
select count(*)::integer as people, count(distinct r.campaign_id)::integer as campaigns
from carillon.recipients r where r.phone = $1

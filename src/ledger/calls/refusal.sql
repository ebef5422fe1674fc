-- Why a single call was not taken. $1 campaign, $2 phone
select c.state, exists (select from carillon.barred b where b.phone = $2
  and (b.campaign_id is null or b.campaign_id = c.id)) as suppressed
from carillon.campaigns c where c.id = $1

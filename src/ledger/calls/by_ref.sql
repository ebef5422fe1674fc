-- What was ordered under a reference. $1 ref
select r.id, r.phone, r.name, r.variables, r.override, c.terms
from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
where r.ref = $1

-- What was ordered under a reference. $1 ref
select r.id, r.phone, r.name, r.input, c.agent_id as "agentId", c.callers
from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
where r.ref = $1

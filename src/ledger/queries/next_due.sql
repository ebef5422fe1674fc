-- When the next waiting row of a campaign is due, and which zone sets wait. $1 campaign
select min(next_at) filter (where next_at > '-infinity') as "nextAt", count(*)::integer as waiting
from carillon.recipients where campaign_id = $1 and state = 'waiting'

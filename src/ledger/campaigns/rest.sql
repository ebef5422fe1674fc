-- The run has ended; the campaign rests in the given state. One that is done, but was given more people at the last
-- moment, waits to be started again; an evergreen one is reopened. $1 id, $2 run, $3 state, $4 reason
update carillon.campaigns c set run_id = null, run_seen_at = null,
  state = case when c.state <> 'running' then c.state when x.more then 'paused' else $3 end,
  reason = case when c.state <> 'running' then c.reason when x.more then 'recipients were added; start it again' else $4 end,
  updated_at = now()
from (select $3::text = 'done' and not o.evergreen and exists (
    select from carillon.recipients r where r.campaign_id = o.id and r.state = 'waiting') as more
  from carillon.campaigns o where o.id = $1) x
where c.id = $1 and c.run_id = $2

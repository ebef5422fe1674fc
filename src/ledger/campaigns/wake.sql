-- People of a campaign that was done wait again. On the background workers it continues; a run's campaign rests until a
-- person continues it. $1 campaign
update carillon.campaigns c
set state = case when c.driver = 'background' then 'running' else 'paused' end, faults = 0, updated_at = now(),
  reason = case when c.driver = 'background' then null else 'people wait again; run or resume it' end
where c.id = $1 and c.state = 'done' and c.superseded_at is null
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')

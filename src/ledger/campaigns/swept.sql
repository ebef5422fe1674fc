-- The sweep is over: nothing is left to skip, and nothing in progress can come back. $1 campaign
update carillon.campaigns c set sweep = null
where c.id = $1 and c.sweep is not null
  and not exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
  and not exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'parked')
  and not exists (select from carillon.attempts a where a.campaign_id = c.id)

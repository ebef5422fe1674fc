-- The weights of the other campaigns that the keys of a service dial now, together. $1 service, $2 campaign
select coalesce(sum(c.weight), 0)::integer as weight
from carillon.campaigns c
where c.base_url = $1 and c.id <> $2 and c.state = 'running'
  and (c.driver = 'background' or carillon.run_lives(c.run_seen_at))
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting' and r.next_at <= now())

-- The campaigns of a scope that dial, with what decides whether any of their people may be called now. $1 service, $2
-- the run's campaign (null: background)
select c.id, c.hours,
  case when c.hours is null then null
    else (select coalesce(array_agg(z.zones), '{}') from carillon.campaign_zones z where z.campaign_id = c.id) end as zones
from carillon.campaigns c
where c.base_url = $1 and c.state = 'running'
  and (($2::uuid is null and c.driver = 'background') or c.id = $2)

-- The campaigns of a scope that dial, with what decides whether any of their people may be called now. $1 service, $2
-- the run's campaign (null: background)
select c.id, c.times,
  (select coalesce(array_agg(z.place), '{}') from carillon.campaign_places z where z.campaign_id = c.id) as places
from carillon.campaigns c
where c.base_url = $1 and c.state = 'running'
  and (($2::uuid is null and c.driver = 'background') or c.id = $2)

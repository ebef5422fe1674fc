-- Campaigns of a scope that may dial now. $1 service, $2 the run's campaign (null: background), $3 the run, $4 how many
-- due rows are worth counting. They are counted in order, so that the index serves: otherwise a table whose first half
-- million people were called would be scanned up to the first who waits.
select c.id, c.name, c.kind, c.times, c.max_calls as "maxCalls", c.proved, d.due,
  (select coalesce(array_agg(z.place), '{}') from carillon.campaign_places z where z.campaign_id = c.id) as places
from carillon.campaigns c, lateral (
  select count(*)::integer as due from (
    select from carillon.recipients r
    where r.campaign_id = c.id and r.state = 'waiting' and r.next_at <= now()
    order by r.next_at, r.row limit $4) x
) d
where c.base_url = $1 and c.state = 'running'
  and (($2::uuid is null and c.driver = 'background') or (c.id = $2 and c.run_id = $3))
  and d.due > 0
order by c.created_at

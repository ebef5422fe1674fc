-- The attempt to which a call of the service belongs. $1 service, $2 call id
select a.id from carillon.all_attempts a join carillon.campaigns c on c.id = a.campaign_id
where c.base_url = $1 and a.call_id = $2
order by a.planned_at limit 1

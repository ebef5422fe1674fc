-- How many attempts of a service are unknown, by campaign, the most first, and how many of them were placed. $1 service
select c.name as campaign, count(*)::integer as unknown,
  (count(*) filter (where carillon.took_call(a.call_id, a.reason)))::integer as placed
from carillon.attempts a
join carillon.campaigns c on c.id = a.campaign_id
where a.state = 'unknown' and c.base_url = $1
group by c.id, c.name
order by 2 desc, 1

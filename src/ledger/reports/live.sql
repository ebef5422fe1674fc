-- Attempts that are not over, by campaign and state: a scrape does not count settled rows. $1 service
select c.name as campaign, a.state, count(*)::integer as count
from carillon.campaigns c join carillon.attempts a on a.campaign_id = c.id
where c.base_url = $1 and c.superseded_at is null
group by c.name, a.state order by c.name, a.state

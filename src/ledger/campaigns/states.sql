-- How many campaigns are in each state. $1 service
select state, count(*)::integer as count from carillon.campaigns
where base_url = $1 and superseded_at is null and kind = 'list' group by state order by state

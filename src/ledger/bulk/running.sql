-- Acts of a service that are not over, the oldest first. $1 service
select b.id from carillon.bulk_acts b where b.state = 'running' and b.base_url = $1 order by b.created_at, b.id

-- The campaign that bears a name today, or an id. $1 name or id
select c.*, c.run_seen_at > now() - interval '30 seconds' as run_lives from carillon.campaigns c
where (c.name = $1 and c.superseded_at is null) or c.id::text = $1
order by (c.id::text = $1) desc limit 1

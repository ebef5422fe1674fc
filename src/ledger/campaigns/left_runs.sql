-- Campaigns whose run was killed and will not dial them again: the background workers do, or nobody. $1 service
select id from carillon.campaigns
where base_url = $1 and run_id is not null and run_seen_at < now() - interval '60 seconds'
  and (driver = 'background' or state in ('canceled', 'done') or superseded_at is not null)
limit 20

-- Removes minutes that are older than they are kept. $1 seconds, $2 how many at most
delete from carillon.campaign_series s where (s.campaign_id, s.step, s.at) in (
  select x.campaign_id, x.step, x.at from carillon.campaign_series x
  where x.step = 60 and x.at < now() - make_interval(secs => $1) order by x.at limit $2
)
returning s.step

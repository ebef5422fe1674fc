-- Removes the ends of calls that no campaign judges any more.
delete from carillon.recent_ends e
where e.at < now() - make_interval(secs => coalesce(
  (select c.stop_seconds from carillon.campaigns c where c.id = e.campaign_id), 0))

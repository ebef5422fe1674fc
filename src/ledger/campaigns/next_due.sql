-- When a campaign's next waiting row that has a time is due. $1 campaign
select (select r.next_at from carillon.recipients r
  where r.campaign_id = $1 and r.state = 'waiting' and r.next_at > '-infinity' order by r.next_at limit 1) as "nextAt"

-- The earliest time of a campaign's next attempts that is still to come, and the ledger's clock. $1 campaign
select now() as now, (select r.next_at from carillon.recipients r
  where r.campaign_id = $1 and r.state = 'waiting' and r.next_at > now() order by r.next_at limit 1) as soonest

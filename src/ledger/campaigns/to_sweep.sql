-- Campaigns that may have something left to skip: those that were canceled or whose end has come, and those of any
-- service that are being deleted. $1 service
select c.id, c.deleted_at is not null as deleted from carillon.campaigns c
where (c.sweep is not null and (c.base_url = $1 or c.deleted_at is not null))
  or (c.base_url = $1 and c.state in ('running', 'paused') and carillon.has_ended(c.ends_at) and exists (
    select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting' offset 0))

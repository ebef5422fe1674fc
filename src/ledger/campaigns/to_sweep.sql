-- Canceled campaigns that may have something left to skip, and those of any service that are being deleted. $1 service
select c.id, c.deleted_at is not null as deleted from carillon.campaigns c
where c.sweep is not null and (c.base_url = $1 or c.deleted_at is not null)

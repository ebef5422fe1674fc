-- Canceled campaigns that may have something left to skip. $1 service
select c.id from carillon.campaigns c where c.base_url = $1 and c.sweep is not null

-- Campaigns whose order allows more attempts than before, and whose people are not all reopened. $1 service
select c.id from carillon.campaigns c where c.base_url = $1 and c.reopening is not null

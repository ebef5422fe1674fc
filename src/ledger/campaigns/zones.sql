-- The distinct zone sets of a campaign's people. $1 campaign
select zones from carillon.campaign_zones where campaign_id = $1

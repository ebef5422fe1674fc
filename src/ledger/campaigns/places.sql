-- The distinct places of a campaign's people. $1 campaign
select place from carillon.campaign_places where campaign_id = $1

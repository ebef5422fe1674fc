-- Tries these people again, where they may be: see carillon.try_again. $1 people, $2 whether those who wait for another
-- attempt are wanted too
select r.id, r.campaign_id as "campaignId" from carillon.try_again($1::bigint[], null, $2::boolean) r

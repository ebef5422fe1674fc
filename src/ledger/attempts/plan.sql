-- Claims due people, over several campaigns by their turns: see carillon.plan_attempts.
-- $1 lane, $2 [{id, limit, due, queued, places}], $3 the lane's headroom, $4 how far ahead of campaigns that others plan
select attempt as id, campaign as "campaignId" from carillon.plan_attempts($1, $2::jsonb, $3, $4)

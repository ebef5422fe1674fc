-- What a scope has planned on a lane. $1 lane, $2 the run's campaign (null: background)
select a.id from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
where a.lane_id = $1 and a.state = 'planned' and (($2::uuid is null and c.driver = 'background') or c.id = $2)

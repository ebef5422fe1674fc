-- How many calls a lane has in progress, for a refusal that may mean too many at once. $1 lane
select count(*)::integer as calls from carillon.attempts where lane_id = $1 and state in ('dialing', 'placed')

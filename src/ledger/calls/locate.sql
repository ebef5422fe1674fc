-- The recipient of an attempt, by the attempt's id or by the service's id of the call. $1 service, $2 the id as text
select x.recipient_id as recipient, x.call_id as "callId", x.lane_id as "laneId"
from carillon.all_attempts x join carillon.lanes l on l.id = x.lane_id
where x.call_id = $2 and l.base_url = $1
union all
select x.recipient_id, x.call_id, x.lane_id from carillon.all_attempts x
where x.id = case when $2 ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then $2::uuid end
limit 1

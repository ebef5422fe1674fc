-- What is known of late fields on the lanes of a service. $1 service
select f.lane_id as "laneId", f.outcome, f.field, f.late, f.vain
from carillon.late_fields f join carillon.lanes l on l.id = f.lane_id
where l.base_url = $1

-- A 402 may cross with the opening of its lane: its attempt is then parked on an open lane, which no probe will open.
-- $1 service
update carillon.attempts a set state = 'planned', detail = null
from carillon.lanes l, carillon.campaigns c
where l.id = a.lane_id and c.id = a.campaign_id
  and l.base_url = $1 and l.state = 'open' and a.state = 'parked' and c.state <> 'canceled'
returning a.id

-- A person names the call: it is followed like any other. A call that belongs to another attempt of the service is
-- refused: see carillon.place_attempt.
-- $1 attempt, $2 call id, $3 deadline in seconds, $4 the person's reason
select id, lane_id as "laneId" from carillon.place_attempt($1, $2, $3, $4)

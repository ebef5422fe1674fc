-- Whether this attempt is the probe of a lane that creates no calls: only its answer may open the lane, because others
-- in flight may have left before the lane closed. $1 lane, $2 attempt
select id from carillon.lanes where id = $1 and state in ('failing', 'out_of_credit') and probe_attempt = $2

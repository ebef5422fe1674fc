-- Whether a lane that creates no more is asked by this very attempt: its answer alone may open the lane, as others
-- that were under way may have left before the lane closed. $1 lane, $2 attempt
select id from carillon.lanes where id = $1 and state in ('failing', 'out_of_credit') and probe_attempt = $2

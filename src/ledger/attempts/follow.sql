-- From now on another key follows the call: its own is closed. $1 attempt, $2 lane
update carillon.attempts set lane_id = $2 where id = $1 and state = 'placed' returning id

-- How many calls at once the lane's planner keeps it to, for those who tell why rows wait. $1 lane, $2 calls (null: no cap)
update carillon.lanes set max_calls = $2 where id = $1 and max_calls is distinct from $2

-- A create was answered as a healthy service answers. $1 lane
update carillon.lanes set losses = 0 where id = $1 and losses > 0

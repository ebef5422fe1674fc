-- A create was answered as a healthy service answers: it makes up for one that told nothing, so that a service which
-- does half of its work is found out too. $1 lane
update carillon.lanes set losses = losses - 1 where id = $1 and losses > 0

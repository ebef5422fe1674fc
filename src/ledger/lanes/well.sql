-- A create got the answer of a healthy service: it makes up for one that was lost. So a service that does only half of
-- its work is found out too. $1 lane
update carillon.lanes set losses = losses - 1 where id = $1 and losses > 0

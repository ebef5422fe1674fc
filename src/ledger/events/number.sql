-- Numbers what is committed: see carillon.number_events. $1 how many rows at most
select reached, more from carillon.number_events($1)

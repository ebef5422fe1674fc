-- Removes old events: see carillon.forget_events. $1 how long they are kept, in seconds, $2 how many rows at most
select carillon.forget_events($1, $2) as removed

-- When the first delayed job of a queue is due, by the server's clock; null when none is delayed. $1 queue
select next_delay($1) as due

-- After which event a replay from a time begins: see carillon.number_before. $1 the time
select carillon.number_before($1) as number

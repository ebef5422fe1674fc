-- Erases what is older than it is kept: see carillon.erase_old. $1 days, $2 how many people
select carillon.erase_old($1, $2) as more

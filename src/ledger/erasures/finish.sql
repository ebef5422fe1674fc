-- Whether nothing is left to erase: see carillon.finish_erasure. $1 phone, $2 hash
select carillon.finish_erasure($1, $2) as done

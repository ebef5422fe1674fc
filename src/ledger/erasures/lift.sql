-- Takes an erasure back: see carillon.lift_erasure. $1 phone, $2 hash
select carillon.lift_erasure($1, $2) as lifted

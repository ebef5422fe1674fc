-- One piece of a body, in its order; none behind the last. $1 import, $2 number, from 0
select p.data from carillon.import_pieces p where p.import_id = $1 and p.n = $2

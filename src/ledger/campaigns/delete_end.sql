-- Deletes a marked campaign that has nobody left: see carillon.finish_delete. $1 id
select carillon.finish_delete($1) as done

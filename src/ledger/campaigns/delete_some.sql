-- Deletes at most this many rows of a marked campaign: see carillon.delete_some. $1 id, $2 how many
select carillon.delete_some($1, $2) as gone

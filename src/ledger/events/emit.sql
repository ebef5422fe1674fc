-- Tells of one thing: see carillon.emit. $1 type, $2 campaign (null: none), $3 what it is about, $4 what is kept nowhere else
select carillon.emit($1, $2, $3, $4::jsonb)

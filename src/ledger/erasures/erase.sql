-- Erases what can be erased now: see carillon.erase. $1 phone, $2 its hash, $3 the phone, sealed (null: as it was)
select people, campaigns, calls::text[] as calls, live, until from carillon.erase($1, $2, $3)

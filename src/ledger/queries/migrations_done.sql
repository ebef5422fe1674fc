-- The migrations that this ledger has.
select name from carillon.migrations order by id

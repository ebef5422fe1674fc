-- The migrations that this ledger has.
select name, digest from carillon.migrations order by name

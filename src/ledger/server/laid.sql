-- Which functions a ledger has, by their digest; null where nothing was laid, or before this way of laying it.
select obj_description(to_regnamespace('carillon'), 'pg_namespace') as functions,
  to_regclass('carillon.campaigns') is not null as laid,
  exists (select from pg_attribute where attrelid = to_regclass('carillon.migrations') and attname = 'digest') as ours

-- Which functions a ledger has, by their digest; null when it has none, or is older than this digest.
select obj_description(to_regnamespace('carillon'), 'pg_namespace') as functions,
  to_regclass('carillon.campaigns') is not null as laid,
  exists (select from pg_attribute where attrelid = to_regclass('carillon.migrations') and attname = 'digest') as ours

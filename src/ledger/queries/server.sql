-- What stands behind the ledger's address, and whether it was ever migrated.
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
  pg_is_in_recovery() as standby, extract(epoch from clock_timestamp())::float8 * 1000 as now,
  to_regclass('carillon.migrations') is not null as migrated

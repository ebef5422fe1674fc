-- name: laid
-- Which functions a ledger has, by their digest; null when it has none, or is older than this digest.
select obj_description(to_regnamespace('carillon'), 'pg_namespace') as functions,
  to_regclass('carillon.campaigns') is not null as laid,
  exists (select from pg_attribute where attrelid = to_regclass('carillon.migrations') and attname = 'digest') as ours

-- name: migrations
-- The migrations that this ledger has.
select name, digest from carillon.migrations order by name

-- name: server
-- The server at the ledger's address, and whether it keeps what it has acknowledged.
-- standbys: those that may take over without having every commit
-- free: without a superuser's rights the kind of other roles' sessions is hidden, but not that they exist
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
  pg_is_in_recovery() as standby, extract(epoch from clock_timestamp())::float8 * 1000 as now,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
  case when current_setting('synchronous_standby_names') = ''
    then (select count(*)::integer from pg_stat_replication) else 0 end as standbys,
  current_setting('max_connections')::integer as "maxConnections",
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - (select count(*)::integer from pg_stat_activity
        where backend_type = 'client backend' or (backend_type is null and usesysid is not null)) as free

-- name: phone_key
-- The key for digests of phones: see carillon.phone_digest. One row
select phone_key::text as key from carillon.ledger

-- name: mark
-- A short name of this ledger. The server and the database are part of it, because a copy of the ledger has the same
-- id.
select left(
    encode(sha256(convert_to(concat_ws(' ', ledger.id, control.system_identifier, pg_database.oid), 'UTF8')), 'hex'), 12
  ) as mark
from carillon.ledger, pg_control_system() as control, pg_database
where pg_database.datname = current_database()

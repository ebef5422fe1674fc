-- The server behind the ledger's address, and whether it keeps what it has acknowledged.
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

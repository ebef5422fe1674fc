-- The queue's tables that are still written to Postgres's log, tables that refer to jobs first, as they must change
-- first.
select c.relname as name
from pg_class c
where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' and c.relpersistence = 'p'
  and c.relname in ('job', 'job_log', 'job_dependency')
order by c.relname = 'job'

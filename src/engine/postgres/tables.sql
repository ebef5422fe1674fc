-- What is to change on the queue's tables: they are no longer written to Postgres's log, and need no jobs that they refer
-- to. $1 schema
select c.relname as name, 'DROP CONSTRAINT ' || quote_ident(f.conname) as change
from pg_class c
join pg_constraint f on f.conrelid = c.oid and f.contype = 'f'
where c.relnamespace = to_regnamespace($1) and c.relname in ('job_log', 'job_dependency')
union all
select c.relname, 'SET UNLOGGED'
from pg_class c
where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' and c.relpersistence = 'p'
  and c.relname in ('job', 'job_log', 'job_dependency')

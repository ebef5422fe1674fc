-- BullMQ's functions as they are installed, to change a passage of them. $1 schema, $2 names, $3 numbers of arguments
select p.proname as name, p.prosrc as body, pg_get_functiondef(p.oid) as definition
from pg_proc p
join unnest($2::text[], $3::int[]) as wanted (name, args) on wanted.name = p.proname and wanted.args = p.pronargs
where p.pronamespace = to_regnamespace($1)

-- BullMQ's function that publishes events, as it is installed, to change a passage of it. $1 schema
select p.prosrc as body, pg_get_functiondef(p.oid) as definition
from pg_proc p
where p.pronamespace = to_regnamespace($1) and p.proname = 'publish_event' and p.pronargs = 3

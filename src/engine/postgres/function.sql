-- One of BullMQ's functions as it is installed, to change a passage of it: its schema, name and number of arguments.
select p.prosrc as body, pg_get_functiondef(p.oid) as definition
from pg_proc p
where p.pronamespace = to_regnamespace($1) and p.proname = $2 and p.pronargs = $3

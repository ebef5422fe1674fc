-- The role by which Carillon uses its own server: owner of the ledger's database and of what is in it, and nothing
-- more. Statements that it runs cannot read files, start programs, load libraries or change the server's settings. Its
-- password is in the setting carillon.app_password of this transaction, as DO takes no parameters.
--
-- A ledger that an older Carillon made, or used since, belongs to the superuser and is handed over here. Objects of an
-- extension stay with it, and a sequence of a column follows its table.
do $$
declare
  thing text;
begin
  if to_regrole('carillon_app') is null then
    create role carillon_app;
  end if;
  execute format(
    'alter role carillon_app login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
    current_setting('carillon.app_password'));
  execute format('alter database %I owner to carillon_app', current_database());

  for thing in
    with mine as (
      select oid, nspname from pg_namespace
       where nspname !~ '^pg_' and nspname <> 'information_schema'
    )
    select format('schema %I', nspname) from pg_namespace
     where oid in (select oid from mine) and nspowner = 10
    union all
    select format('%s %I.%I', case c.relkind when 'S' then 'sequence' when 'v' then 'view'
                    when 'm' then 'materialized view' else 'table' end, mine.nspname, c.relname)
      from pg_class c join mine on mine.oid = c.relnamespace
     where c.relowner = 10 and c.relkind in ('r', 'p', 'v', 'm', 'S')
       and not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = c.oid
                          and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i')))
    union all
    select format('routine %s', p.oid::regprocedure)
      from pg_proc p join mine on mine.oid = p.pronamespace
     where p.proowner = 10
       and not exists (select from pg_depend d
                        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('type %s', t.oid::regtype)
      from pg_type t join mine on mine.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
     where t.typowner = 10 and (t.typtype in ('d', 'e', 'r') or (t.typtype = 'c' and c.relkind = 'c'))
       and not exists (select from pg_depend d
                        where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  loop
    execute format('alter %s owner to carillon_app', thing);
  end loop;
end
$$;

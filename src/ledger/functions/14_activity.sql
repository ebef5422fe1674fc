-- What was recorded stays as it is, but for a person who is erased.
create function carillon.keep_activity() returns trigger language plpgsql as
$$
declare
  stack text;
begin
  get diagnostics stack = pg_context;
  if tg_op = 'UPDATE' and carillon.is_erasing(stack) then return new; end if;
  raise exception 'carillon.activity only grows';
end $$;
create trigger activity_only_grows before update or delete on carillon.activity
  for each row execute function carillon.keep_activity();

-- What was recorded stays as it is.
create function carillon.keep_activity() returns trigger language plpgsql as
$$ begin raise exception 'carillon.activity only grows'; end $$;
create trigger activity_only_grows before update or delete on carillon.activity
  for each row execute function carillon.keep_activity();

-- The record stays as it is, but for a person who is erased.
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

-- Whether a request may act: 'free', 'known' when it has acted before, or 'busy' while it acts in another transaction, after
-- a moment's wait. Until the end of this transaction the same request finds it busy.
create function carillon.claim_request(wanted text) returns text language plpgsql
set lock_timeout = '1s'
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('carillon request ' || wanted, 0));
  return case when exists (
    select from carillon.idempotent_requests r where r.ref = wanted and (r.ends_at is null or r.ends_at > now())
  ) then 'known' else 'free' end;
exception when lock_not_available then
  return 'busy';
end $$;

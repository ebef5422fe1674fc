-- The record is never changed, except to erase a person.
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

-- The end of a bulk act is recorded in the transaction that ends it: how many people it was done to, on behalf of its
-- actor.
create function carillon.tell_act() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.ended_at is not null then return null; end if;
  insert into carillon.activity (who, person, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.person, c.token_id, c.role, c.address, c.verb, coalesce(c.subject, new.id::text), c.campaign_id, c.before,
    c.after || jsonb_build_object(case c.verb when 'campaign.retry' then 'retried' else 'done' end, new.done, 'passed', new.passed)
  from jsonb_populate_record(null::carillon.activity, new.told) c;
  return null;
end $$;
create trigger works_told after insert or update on carillon.works for each row
  when (new.told is not null and new.state in ('done', 'stopped', 'failed'))
  execute function carillon.tell_act();

-- Whether a request may act: 'free', 'known' when it has acted before, or 'busy' while it acts in another transaction,
-- after a moment's wait. Until the end of this transaction the same request finds it busy.
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

-- One change, as src/ledger/activity/verbs.ts writes it; null records nothing. Called by the statements that change
-- something, so that both are committed or neither.
create function carillon.record_activity(change jsonb) returns void language sql as
$$ insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.token_id, c.role, c.address, c.verb, c.subject, c.campaign_id, c.before, c.after
  from jsonb_to_record(change) as c(who text, token_id uuid, role text, address text, verb text, subject text,
    campaign_id uuid, before jsonb, after jsonb)
  where change is not null $$;

-- What was recorded stays as it is.
create function carillon.keep_activity() returns trigger language plpgsql as
$$ begin raise exception 'carillon.activity only grows'; end $$;
create trigger activity_only_grows before update or delete on carillon.activity
  for each row execute function carillon.keep_activity();

-- Deletes a campaign in steps: first it is marked, so that nothing dials it or adds to it, then its people are deleted
-- in batches, and at last the campaign itself. The counts of calls by phone stay: the contact rules need them.

-- Marks the campaign. Returns why it cannot be deleted; null when it is marked. It is a function because the check must
-- come after the lock: a dialer that is opening an attempt holds the row.
create function carillon.start_delete(of_campaign uuid) returns text language plpgsql as $$
declare
  campaign carillon.campaigns%rowtype;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('carillon import ' || of_campaign::text, 0)) then
    return 'importing';
  end if;
  select * into campaign from carillon.campaigns c where c.id = of_campaign for update;
  if not found or campaign.deleted_at is not null then return null; end if;
  if campaign.run_id is not null and carillon.run_holds(campaign.id, campaign.run_seen_at) then return 'run'; end if;
  if campaign.state = 'running' then return 'running'; end if;
  if exists (select from carillon.attempts a
    where a.campaign_id = of_campaign and a.state in ('dialing', 'placed', 'unknown')) then return 'live'; end if;
  update carillon.campaigns c set state = 'canceled', reason = 'deleted', sweep = 'deleted', deleted_at = now(),
    revision = c.revision + 1, superseded_at = coalesce(c.superseded_at, now()), updated_at = now(), run_id = null
  where c.id = of_campaign;
  return null;
end $$;

-- Deletes a batch of a marked campaign's people with their attempts, or of its rejects. Returns how many rows went.
create function carillon.delete_some(of_campaign uuid, most integer) returns integer language plpgsql
set enable_seqscan = off
as $$
declare
  people bigint[];
  ended uuid[];
  gone integer;
begin
  if not exists (select from carillon.campaigns c where c.id = of_campaign and c.deleted_at is not null) then
    return 0;
  end if;
  people := array(select r.id from carillon.recipients r where r.campaign_id = of_campaign limit most);
  if cardinality(people) > 0 then
    delete from carillon.attempts a where a.recipient_id = any (people);
    with e as (delete from carillon.ended_attempts x where x.recipient_id = any (people) returning x.id)
    select array(select e.id from e) into ended;
    delete from carillon.refreshes f where f.attempt_id = any (ended);
    delete from carillon.judgements j where j.recipient_id = any (people);
    delete from carillon.phones p where p.recipient_id = any (people);
    delete from carillon.recipients r where r.id = any (people);
    return cardinality(people);
  end if;
  delete from carillon.rejects j where j.id = any (array(
    select x.id from carillon.rejects x where x.campaign_id = of_campaign limit most));
  get diagnostics gone = row_count;
  return gone;
end $$;

-- Deletes a marked campaign of which only the counts are left. The lock keeps out the loop that folds them.
create function carillon.finish_delete(of_campaign uuid) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('carillon tallies'));
  perform 1 from carillon.campaigns c where c.id = of_campaign and c.deleted_at is not null for update;
  if not found then return true; end if;
  if exists (select from carillon.recipients r where r.campaign_id = of_campaign)
    or exists (select from carillon.rejects j where j.campaign_id = of_campaign) then return false; end if;
  -- What its calls have cost stays spent: only the counts of its reports go.
  perform carillon.fold_report(null);
  delete from carillon.tallies t where t.campaign_id = of_campaign;
  delete from carillon.tally_deltas t where t.campaign_id = of_campaign;
  delete from carillon.report_tallies t where t.campaign_id = of_campaign;
  delete from carillon.caller_tallies t where t.campaign_id = of_campaign;
  delete from carillon.waiting_tallies t where t.campaign_id = of_campaign;
  delete from carillon.waiting_deltas t where t.campaign_id = of_campaign;
  delete from carillon.campaign_series s where s.campaign_id = of_campaign;
  delete from carillon.campaign_marks m where m.campaign_id = of_campaign;
  delete from carillon.campaign_places z where z.campaign_id = of_campaign;
  delete from carillon.campaigns c where c.id = of_campaign;
  return true;
end $$;

-- A campaign: its run, its end, what is left of it, what its order says of one person, and how it is deleted.

-- Whether a run is active: it reports every half second.
create function carillon.run_lives(seen_at timestamptz) returns boolean language sql stable as
$$ select coalesce(seen_at > now() - interval '30 seconds', false) $$;

-- The same at this moment, for people: the lock of a run is its session's, and gone with its process (src/run/prepare.ts).
create function carillon.run_holds(of_campaign uuid, seen_at timestamptz) returns boolean language sql stable as $$
  select case when carillon.run_lives(seen_at) then exists (
    select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.classid::bigint << 32 | l.objid::bigint
        = ('x' || substr(md5('carillon run ' || of_campaign), 1, 16))::bit(64)::bigint) else false end
$$;

-- A run that took a campaign may open so many calls (null: any number). It is a function because the time is read when the
-- campaign is the run's: an opening of the run before may be waited for. Returns the campaign.
create function carillon.limit_run(of_campaign uuid, calls integer) returns uuid language plpgsql as $$
begin
  delete from carillon.run_limits l where l.campaign_id = of_campaign;
  if calls is not null then
    insert into carillon.run_limits (campaign_id, calls_left, since) values (of_campaign, calls, clock_timestamp());
  end if;
  return of_campaign;
end $$;

-- Whether a campaign's end has come. Ends are kept as text of one form, in UTC, which sorts as times do.
create function carillon.has_ended(ends_at text) returns boolean language sql stable
return ends_at <= to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Since when it is in its state, unless who moves it says so: the demo makes campaigns that ended weeks ago.
create function carillon.stamp_campaign() returns trigger language plpgsql as $$
begin
  new.since = now();
  return new;
end $$;
create trigger campaigns_stamped before update of state on carillon.campaigns
  for each row when (old.state is distinct from new.state and old.since = new.since)
  execute function carillon.stamp_campaign();

-- The rest of a campaign's work: a row for each person who waits, is parked or has a live attempt.
create function carillon.left_of(of_campaign uuid) returns setof uuid language sql stable as
$$ select r.campaign_id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting'
  union all
  select r.campaign_id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked'
  union all
  select a.campaign_id from carillon.attempts a where a.campaign_id = of_campaign $$;

-- The agent of the call on which a person asked to be called back, if the order still has it. It is a function because of
-- its setting: a plan made while the table was small must not scan it when it has grown.
create function carillon.asked_agent(recipient bigint, terms jsonb) returns text language plpgsql stable
set enable_seqscan = off
as $$
begin
  return (select case when terms -> 'agents' @> jsonb_build_array(jsonb_build_object('id', e.agent)) then e.agent end
    from carillon.ended_attempts e where e.recipient_id = recipient and e.state = 'done' and e.outcome is not null
    order by e.number desc limit 1);
end $$;

-- The agent of several, by their shares. Each agent draws a number from its id, the campaign and the phone, and the best
-- draw for its share wins. So every process, resume and retry finds the same agent, and a changed share moves people only
-- to or from the agent whose share it is.
create function carillon.agent_by_share(agents jsonb, of_campaign uuid, of_phone text) returns text
language sql immutable as
$$ select a.id from jsonb_to_recordset(agents) as a(id text, share double precision)
  cross join lateral (select 'x' || substr(encode(sha256(convert_to(
    of_campaign::text || ' ' || of_phone || ' ' || a.id, 'UTF8')), 'hex'), 1, 13) as draw) d
  order by -ln((d.draw::bit(52)::bigint + 0.5) / 4503599627370496.0::double precision) / a.share, a.id limit 1 $$;

-- The agent of a recipient's next attempt: the row's own, else the order's. This function and `variables_of` hold no
-- query of their own, so that Postgres writes them into the statement: it would start each call of a query apart.
create function carillon.agent_of(own text, terms jsonb, of_campaign uuid, of_phone text) returns text
language sql immutable as
$$ select coalesce(own, case when jsonb_array_length(terms -> 'agents') = 1 then terms #>> '{agents,0,id}'
  else carillon.agent_by_share(terms -> 'agents', of_campaign, of_phone) end) $$;

create function carillon.input_without(input jsonb, names jsonb) returns jsonb language sql immutable as
$$ select input - array(select jsonb_array_elements_text(names)) $$;

-- The variables that go to the service with a recipient's calls.
create function carillon.variables_of(input jsonb, variables jsonb) returns jsonb language sql immutable as
$$ select case when jsonb_typeof(variables) = 'array' then carillon.input_without(input, variables) else variables end $$;

-- A value that grows with every change of a row.
create function carillon.version_of(updated_at timestamptz) returns text language sql immutable as
$$ select (extract(epoch from updated_at) * 1000000)::bigint::text $$;

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

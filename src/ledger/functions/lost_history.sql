-- Whether the ledger's history is whole. A ledger that was restored from a backup, or whose server failed over and lost
-- commits, does not know whom it called since, and would call them again. No ledger can see that by itself: only
-- something outside knows more. Each process that dials keeps what it last saw, in memory and on its disk: the last
-- beat that this ledger acknowledged, and the intents since. Commits are lost only from the end, so a ledger that has
-- what was seen last has all before it.

-- This copy of the ledger on its server: another database, or tables that a dump created again, are another copy.
create function carillon.copy_now() returns text language plpgsql stable as $$
begin
  return (select d.oid || ' ' || 'carillon.witnessed'::regclass::oid from pg_database d where d.datname = current_database());
end $$;

-- The copy at this start of the server: replacing its data with older data restarts the server, or makes another copy.
create function carillon.server_start() returns text language sql stable as
$$ select extract(epoch from pg_postmaster_start_time()) || ' ' || carillon.copy_now() $$;

-- Whether anybody may be called. After each start of the server this is false until a process has vouched for the
-- ledger. In plpgsql, as the one above: it keeps its plans, and this is asked for each call.
create function carillon.is_sound() returns boolean language plpgsql stable as $$
begin
  return (select l.lost_at is null and (l.place is null or l.place = carillon.server_start()) from carillon.witnessed l);
end $$;

-- The server's system identifier and timeline; null if this role may not read them, or a service does not report them.
create function carillon.system_now() returns text language plpgsql stable as $$
begin
  return (select s.system_identifier from pg_control_system() s);
exception when others then return null;
end $$;
create function carillon.timeline_now() returns integer language plpgsql stable as $$
begin
  return ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
exception when others then return null;
end $$;

-- Whether an opening that was acknowledged is in this ledger: [{id, opens, campaign}]. Its campaign may be deleted
-- since.
create function carillon.knows_intents(intents jsonb) returns boolean language sql stable as $$
  select not exists (
    select from jsonb_to_recordset(intents) as i(id uuid, opens integer, campaign uuid)
    where not exists (select from carillon.attempts a where a.id = i.id and a.opens >= i.opens)
      and not exists (select from carillon.ended_attempts e where e.id = i.id)
      and not exists (select from carillon.activity d where d.campaign_id = i.campaign and d.verb = 'campaign.delete'))
$$;

-- Declares the history lost: campaigns pause in the same transaction, which waits for openings that are under way.
-- Attempts that were being dialled may have been freed, opened again and sent in the lost part, so a journal's silence
-- about them no longer proves anything, and the service may know another key for the call.
create function carillon.lose_history(why text) returns void language plpgsql as $$
begin
  update carillon.witnessed l set lost_at = clock_timestamp(), lost_why = why, known_until = l.beat_at
  where l.lost_at is null;
  update carillon.campaigns c set state = 'paused', reason = 'history-lost', updated_at = now() where c.state = 'running';
  update carillon.attempts a set journal = null, sent = null, repeat_until = null
  where a.state in ('dialing', 'unknown') and (a.journal is not null or a.sent is not null);
end $$;

-- Records where the ledger is now, and begins a new epoch.
create function carillon.settle_witnessed() returns void language plpgsql as $$
begin
  insert into carillon.epochs (epoch, beats) select l.epoch, l.beat from carillon.witnessed l;
  update carillon.witnessed l set system = coalesce(carillon.system_now(), l.system),
    timeline = coalesce(carillon.timeline_now(), l.timeline), home = carillon.copy_now(), place = carillon.server_start(),
    epoch = gen_random_uuid(), beat = 0, beat_at = clock_timestamp();
end $$;

-- Compares this ledger with what a process knows of it, and returns what the process is to remember. seen: {ledger,
-- era, epoch, beat}, null for a process that knows nothing of it; intents: acknowledged since that beat; vouches:
-- whether it may vouch for a server that was started again, because the others had time to look; beats: whether to add
-- a beat; claim: why its history is lost, if that is known already.
-- verdict: sound; unsure, while nobody has vouched; lost. news: what this call found out.
create function carillon.attest(seen jsonb, intents jsonb, vouches boolean, beats boolean, claim text)
returns table (verdict text, news text, ledger uuid, epoch uuid, beat bigint, era bigint, why text, lost_at timestamptz,
  known_until timestamptz, "timelineBefore" integer, timeline integer) language plpgsql as $$
declare
  l carillon.witnessed%rowtype;
  system constant text := carillon.system_now();
  line constant integer := carillon.timeline_now();
  lost text;
  told text;
  stands boolean;
  -- What the process knows of the current era; null if it knows only an older one.
  known jsonb := seen;
begin
  perform set_config('synchronous_commit', 'on', true);
  select * into l from carillon.witnessed;
  if l.lost_at is null and l.place = carillon.server_start() and claim is null
    and (seen is null or (l.epoch = (seen ->> 'epoch')::uuid and l.beat >= (seen ->> 'beat')::bigint)) then
    if beats then
      update carillon.witnessed x set beat = x.beat + 1, beat_at = clock_timestamp()
      where x.epoch = l.epoch and x.lost_at is null returning x.beat into l.beat;
    end if;
    return query select 'sound', null::text, l.ledger, l.epoch, l.beat, l.era, null::text, null::timestamptz,
      null::timestamptz, l.timeline, l.timeline;
    return;
  end if;
  -- One at a time: a statement of its own, which sees what the one before did.
  select * into l from carillon.witnessed for update;
  stands := l.place is null or l.place = carillon.server_start();
  if (seen ->> 'era')::bigint < l.era then known := null; end if;
  if l.lost_at is null then
    lost := case
      when claim is not null then claim
      when known is not null and ((known ->> 'ledger')::uuid <> l.ledger or (known ->> 'era')::bigint > l.era
        or (known ->> 'beat')::bigint > coalesce(
          case when l.epoch = (known ->> 'epoch')::uuid then l.beat
            else (select e.beats from carillon.epochs e where e.epoch = (known ->> 'epoch')::uuid) end, -1)) then 'behind'
      when known is not null and not carillon.knows_intents(intents) then 'intents'
      when l.system <> system then 'server'
      when l.home <> carillon.copy_now() then 'copy'
      -- Another server took over, and no process is here that knows what the former one acknowledged.
      when not stands and l.timeline <> line and known is null and vouches then 'timeline'
    end;
    if lost is not null then
      perform carillon.lose_history(lost);
      told := 'lost';
    elsif l.place is null or (not stands and vouches) then
      perform carillon.settle_witnessed();
      stands := true;
      told := case when l.place is null then null when l.timeline <> line then 'took-over' else 'restarted' end;
    end if;
  end if;
  return query select case when x.lost_at is not null then 'lost' when stands then 'sound' else 'unsure' end, told,
    x.ledger, x.epoch, x.beat, x.era, x.lost_why, x.lost_at, x.known_until, l.timeline, line
  from carillon.witnessed x;
end $$;

-- A person confirmed what is left of the history. Returns why it was lost; null when it was not.
create function carillon.confirm_history() returns text language plpgsql as $$
declare
  why text;
begin
  select l.lost_why into why from carillon.witnessed l for update;
  if why is null then return null; end if;
  update carillon.witnessed l set lost_at = null, lost_why = null, known_until = null,
    era = (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  perform carillon.settle_witnessed();
  return why;
end $$;

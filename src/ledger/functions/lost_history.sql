-- Whether the ledger's history is whole. A ledger that was restored from a backup, or whose server failed over and lost
-- commits, does not know whom it called since, and would call them again. No ledger can see that in itself: what knows
-- more is outside. Each process that dials keeps a witness, in memory and on its disk: the last beat that this ledger
-- acknowledged, and the intents since. Commits are lost from the end only, so a ledger that has what the witness saw last
-- has all before it.

-- This copy of the ledger on its server: another database, or tables that a dump created again, are another copy.
create function carillon.home_now() returns text language sql stable as
$$ select d.oid || ' ' || 'carillon.witnessed'::regclass::oid from pg_database d where d.datname = current_database() $$;

-- The same since this start of the server: whatever puts older data in place starts the server again, or makes a copy.
create function carillon.place_now() returns text language sql stable as
$$ select extract(epoch from pg_postmaster_start_time()) || ' ' || carillon.home_now() $$;

-- Whether anybody may be called. After each start of the server this is false until a process has vouched for the ledger.
create function carillon.is_sound() returns boolean language sql stable as
$$ select l.lost_at is null and (l.place is null or l.place = carillon.place_now()) from carillon.witnessed l $$;

-- The server's system identifier and timeline; null where this role may not read them, or a service does not tell.
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

-- Whether an opening that was acknowledged is in this ledger: [{id, opens, campaign}]. A campaign may be deleted since.
create function carillon.knows_intents(intents jsonb) returns boolean language sql stable as $$
  select not exists (
    select from jsonb_to_recordset(intents) as i(id uuid, opens integer, campaign uuid)
    where not exists (select from carillon.attempts a where a.id = i.id and a.opens >= i.opens)
      and not exists (select from carillon.ended_attempts e where e.id = i.id)
      and not exists (select from carillon.activity d where d.campaign_id = i.campaign and d.verb = 'campaign.delete'))
$$;

-- Declares the history lost: campaigns pause in the same transaction, which waits for openings that are under way. Attempts
-- that were being dialled may have been freed, opened again and sent in the part that is gone, so no journal's silence
-- about them proves anything any more.
create function carillon.lose_history(why text) returns void language plpgsql as $$
begin
  update carillon.witnessed l set lost_at = clock_timestamp(), lost_why = why, known_until = l.beat_at
  where l.lost_at is null;
  update carillon.campaigns c set state = 'paused', reason = 'history-lost', updated_at = now() where c.state = 'running';
  update carillon.attempts a set journal = null where a.state in ('dialing', 'unknown') and a.journal is not null;
end $$;

-- From now on the ledger is where it is: another stretch begins.
create function carillon.settle_witnessed() returns void language plpgsql as $$
begin
  insert into carillon.epochs (epoch, beats) select l.epoch, l.beat from carillon.witnessed l;
  update carillon.witnessed l set system = coalesce(carillon.system_now(), l.system),
    timeline = coalesce(carillon.timeline_now(), l.timeline), home = carillon.home_now(), place = carillon.place_now(),
    epoch = gen_random_uuid(), beat = 0, beat_at = clock_timestamp();
end $$;

-- Holds this ledger to what a process knows of it, and answers with what the process is to remember.
-- witness: {ledger, era, epoch, beat}, null for a process that knows nothing of it; intents: acknowledged since that beat;
-- vouches: whether it may vouch for a server that was started again, as the others had time to look; beats: whether to add a beat;
-- claim: why its history is lost, where that is known already.
-- verdict: sound; unsure, while nobody has vouched; lost. news: what this call found out.
create function carillon.attest(witness jsonb, intents jsonb, vouches boolean, beats boolean, claim text)
returns table (verdict text, news text, ledger uuid, epoch uuid, beat bigint, era bigint, why text, lost_at timestamptz,
  known_until timestamptz, "timelineBefore" integer, timeline integer) language plpgsql as $$
declare
  l carillon.witnessed%rowtype;
  system constant text := carillon.system_now();
  line constant integer := carillon.timeline_now();
  lost text;
  told text;
  stands boolean;
  -- The process's knowledge of the history that counts.
  known jsonb := witness;
begin
  perform set_config('synchronous_commit', 'on', true);
  select * into l from carillon.witnessed;
  if l.lost_at is null and l.place = carillon.place_now() and claim is null
    and (witness is null or (l.epoch = (witness ->> 'epoch')::uuid and l.beat >= (witness ->> 'beat')::bigint)) then
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
  stands := l.place is null or l.place = carillon.place_now();
  if (witness ->> 'era')::bigint < l.era then known := null; end if;
  if l.lost_at is null then
    lost := case
      when claim is not null then claim
      when known is not null and ((known ->> 'ledger')::uuid <> l.ledger or (known ->> 'era')::bigint > l.era
        or (known ->> 'beat')::bigint > coalesce(
          case when l.epoch = (known ->> 'epoch')::uuid then l.beat
            else (select e.beats from carillon.epochs e where e.epoch = (known ->> 'epoch')::uuid) end, -1)) then 'behind'
      when known is not null and not carillon.knows_intents(intents) then 'intents'
      when l.system <> system then 'server'
      when l.home <> carillon.home_now() then 'copy'
      -- Another server took over, and nobody is here who knows what the former one acknowledged.
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

-- A person confirmed what is left of the history. Returns the reason for which it was lost; null when it was not.
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

-- After history was lost: people whom this ledger would call, and who may have been called since, become unknown, so that a
-- person decides about each. Nobody dials meanwhile: every campaign rests until the ledger was confirmed.

-- Makes people unknown: of attempts that are planned the same attempt, of the others another one, with the id that a process
-- noted for it, so that a late answer finds it. opens: as it was noted; keeps_phone_ms: how long each keeps its phone. Someone
-- who is on a call becomes unknown when its end is known, if they would be called again: that call ended in the part that
-- is gone, but its result is still to be had. Someone who is not called any more stays as they are. Under which contact
-- rules somebody was called is lost as well: the audit asks these attempts for none. Returns how many of each campaign.
create function carillon.lose_people(
  people bigint[], noted uuid[], at timestamptz[], noted_opens integer[], keeps_phone_ms double precision)
returns table (campaign uuid, marked integer) language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  kept_until constant timestamptz := moment + make_interval(secs => keeps_phone_ms / 1000.0);
  words constant text := 'the ledger lost its history, and this person may have been called since';
begin
  return query
  with wanted as materialized (
    select distinct on (w.id) w.id, w.attempt, w.at, w.opens
    from unnest(people, noted, at, noted_opens) as w(id, attempt, at, opens) order by w.id, w.at desc
  ), locked as materialized (
    select r.id, r.campaign_id, r.phone, r.attempts, r.state, w.attempt, coalesce(w.at, moment) as at, coalesce(w.opens, 0) as opens,
      (select l.id from carillon.lanes l join carillon.campaigns c on c.base_url = l.base_url
       where c.id = r.campaign_id order by l.state = 'open' desc, l.id limit 1) as lane
    from wanted w join carillon.recipients r on r.id = w.id
    where r.state in ('waiting', 'parked', 'live') order by r.id for update of r
  ), moved as (
    update carillon.attempts a
    set state = 'unknown', reason = 'lost-history', detail = words, dialing_at = h.at, expires_at = moment,
      phone_until = kept_until, opens = greatest(a.opens, h.opens), policy_version = null
    from locked h where a.recipient_id = h.id and h.state = 'live' and a.state in ('planned', 'parked')
    returning a.id, a.recipient_id, a.campaign_id, a.phone
  ), followed as (
    update carillon.attempts a
    set followed_by = coalesce(a.followed_by, '{}') || jsonb_build_object('attempt', h.attempt, 'at', h.at, 'opens', h.opens, 'keeps_phone_ms', keeps_phone_ms)
    from locked h where a.recipient_id = h.id and h.state = 'live' and a.state in ('placed', 'unknown') and a.call_id is not null
      and a.dialing_at < h.at and coalesce((a.followed_by ->> 'at')::timestamptz, '-infinity') < h.at
    returning a.campaign_id
  ), made as (
    insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, state, reason, detail, opens, planned_at,
      dialing_at, expires_at, phone_until)
    select coalesce(h.attempt, carillon.new_id()), h.campaign_id, h.id, h.lane, h.phone, h.attempts + 1, 'unknown',
      'lost-history', words, h.opens, h.at, h.at, moment, kept_until
    from locked h where h.state <> 'live' and h.lane is not null
    returning id, recipient_id, campaign_id, phone
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.unknown', m.campaign_id, array[m.recipient_id], array[m.id] from made m
  ), kept as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'unknown', words from made m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id)
    select x.phone, x.id from (select * from moved union all select * from made) x order by x.phone
    on conflict (phone) do nothing
  ), rows as (
    update carillon.recipients r
    set state = 'live', reason = null, held = null, held_under = null, retry_at = null, updated_at = now()
    from made m where r.id = m.recipient_id
  )
  select x.campaign_id, count(*)::integer from (
    select m.campaign_id from moved m union all select m.campaign_id from made m union all select f.campaign_id from followed f
  ) x group by 1;
  perform carillon.share_phones(array(select r.phone from carillon.recipients r where r.id = any (people)));
end $$;

-- Only where history was lost, more than one attempt may be on a phone's line: the one that holds it leaves it to another,
-- when it is over.
create function carillon.share_phones(phones text[]) returns void language sql as $$
  update carillon.attempts h set followed_by = coalesce(h.followed_by, '{}') || '{"shares": true}'
  from carillon.live_phones p
  where p.phone = any (phones) and h.id = p.attempt_id and not coalesce(h.followed_by, '{}') ? 'shares' and exists (
    select from carillon.attempts o where o.phone = p.phone and o.id <> h.id and o.state = 'unknown')
$$;

-- In the transaction of the end, so that nobody plans the person, or takes the phone, in between.
create function carillon.doubt_next() returns trigger language plpgsql as $$
begin
  if old.followed_by ? 'shares' then
    insert into carillon.live_phones (phone, attempt_id)
    select a.phone, a.id from carillon.attempts a
    where a.phone = old.phone and a.state = 'unknown' and a.phone_until > clock_timestamp()
    order by a.phone_until desc, a.id limit 1
    on conflict (phone) do nothing;
    perform carillon.share_phones(array[old.phone]);
  end if;
  if old.followed_by ? 'at' then
    perform carillon.lose_people(array[r.id], array[(old.followed_by ->> 'attempt')::uuid],
      array[(old.followed_by ->> 'at')::timestamptz], array[(old.followed_by ->> 'opens')::integer],
      (old.followed_by ->> 'keeps_phone_ms')::double precision)
    from carillon.recipients r where r.id = old.recipient_id and r.state in ('waiting', 'parked');
  end if;
  return null;
end $$;
create trigger attempts_followed after delete on carillon.attempts
for each row when (old.followed_by is not null) execute function carillon.doubt_next();

-- Takes the notes of a process about the creates that it sent: [{attempt, recipient, campaign, opens, at}]. Attempts that
-- this ledger knows as well, or knows to be over, stay. Returns how many of each campaign became unknown; without one, how
-- many notes are about people whom this ledger does not have.
create function carillon.lose_noted(notes jsonb, keeps_phone_ms double precision)
returns table (campaign uuid, marked integer) language plpgsql as $$
declare
  n record;
begin
  select array_agg(r.id) as people, array_agg(w.at) as times, array_agg(w.opens) as opens,
    array_agg(case when not exists (select from carillon.ended_attempts e where e.id = w.attempt) then w.attempt end)
      as attempts
  into n
  from jsonb_to_recordset(notes) as w(
    attempt uuid, recipient bigint, campaign uuid, opens integer, at timestamptz)
  join carillon.recipients r on r.id = w.recipient and r.campaign_id = w.campaign
  -- A plan that was withdrawn in this ledger was perhaps opened in the history that is gone.
  where not exists (select from carillon.ended_attempts e where e.id = w.attempt and not (
      e.state = 'dropped' and e.was in ('planned', 'parked')
      and coalesce(e.dialing_at, '-infinity') < w.at - interval '5 seconds'))
    and not exists (select from carillon.attempts a where a.id = w.attempt and (
      a.state not in ('planned', 'parked') or a.opens >= coalesce(w.opens, a.opens + 1)));
  -- An opening that this ledger shows may have been followed by another, which was sent: that the first was never noted
  -- proves nothing any more, so that no journal frees it.
  update carillon.attempts a set journal = null
  from jsonb_to_recordset(notes) as w(attempt uuid, opens integer)
  where a.id = w.attempt and a.state in ('dialing', 'unknown') and a.call_id is null and a.opens < w.opens;
  return query select * from carillon.lose_people(n.people, n.attempts, n.times, n.opens, keeps_phone_ms);
  return query
  select null::uuid, count(*)::integer from jsonb_to_recordset(notes) as w(attempt uuid, recipient bigint, campaign uuid)
  where not exists (select from carillon.recipients r where r.id = w.recipient and r.campaign_id = w.campaign)
    and not exists (select from carillon.ended_attempts e where e.id = w.attempt)
  having count(*) > 0;
end $$;

-- Of everyone of a campaign whom this ledger would call: at most this many. Returns how many became unknown.
create function carillon.lose_waiting(of_campaign uuid, most integer, keeps_phone_ms double precision) returns integer
language plpgsql as $$
declare
  people bigint[];
begin
  people := array(
    (select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting' limit most)
    union all
    (select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked' limit most)
    union all
    (select a.recipient_id from carillon.attempts a
      where a.campaign_id = of_campaign and a.state in ('planned', 'parked') limit most)
    union all
    (select a.recipient_id from carillon.attempts a
      join carillon.recipients r on r.id = a.recipient_id join carillon.campaigns c on c.id = a.campaign_id
      where a.campaign_id = of_campaign and a.call_id is not null and a.followed_by ->> 'at' is null
        and r.attempts + 1 < greatest(c.max_attempts, r.granted) limit most)
    limit most);
  return coalesce((select sum(x.marked)::integer
    from carillon.lose_people(people, '{}', '{}', '{}', keeps_phone_ms) x), 0);
end $$;

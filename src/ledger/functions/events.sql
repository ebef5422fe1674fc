-- The outbox is written here, in the same transaction: by triggers, so that no verb can forget it, and for attempts by
-- the statements that place and end them. These run before the triggers: an attempt's event comes before what follows
-- for the person.

-- Tells of something that is not an attempt or a person. of_subject: what it is about; more: what is kept nowhere else.
create function carillon.emit(of_type text, of_campaign uuid, of_subject text, more jsonb) returns void language sql as
$$ insert into carillon.outbox (type, campaign_id, subject, data) values (of_type, of_campaign, of_subject, more) $$;

-- People who are done, skipped or rejected: no attempt follows. The rows have a bounded size, however many people one
-- statement moved.
create function carillon.tell_people() returns trigger language plpgsql as $$
begin
  if not exists (select from fresh f where f.state in ('done', 'skipped', 'rejected')) then return null; end if;
  insert into carillon.outbox (type, campaign_id, recipients)
  select 'recipient.' || m.state, m.campaign_id, array_agg(m.id order by m.id)
  from (
    select t.id, t.campaign_id, t.state, row_number() over (partition by t.campaign_id, t.state order by t.id) / 1000 as part
    from (
      -- Before and after are appended, not joined: nobody knows how long the two lists are, and a plan for short ones
      -- compares every row with every other.
      select x.id, x.campaign_id, x.state from (
        select id, campaign_id, state, 1 as n from fresh
        union all
        select id, campaign_id, state, -1 from stale
      ) x
      where x.state in ('done', 'skipped', 'rejected')
      group by x.id, x.campaign_id, x.state having sum(x.n) > 0
    ) t
  ) m
  group by m.campaign_id, m.state, m.part order by m.campaign_id, m.state, m.part;
  return null;
end $$;
create trigger recipients_told after update on carillon.recipients
  referencing old table as stale new table as fresh
  for each statement execute function carillon.tell_people();

-- Few attempts become unknown: one row each.
create function carillon.tell_unknown() returns trigger language plpgsql as $$
begin
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  values ('attempt.unknown', new.campaign_id, array[new.recipient_id], array[new.id]);
  return null;
end $$;
create trigger attempts_told after update of state on carillon.attempts
  for each row when (old.state is distinct from new.state and new.state = 'unknown')
  execute function carillon.tell_unknown();

-- A campaign that was never running starts; one that was running before continues.
create function carillon.tell_campaign() returns trigger language plpgsql as $$
begin
  perform carillon.emit('campaign.' || case
    when new.state <> 'running' then new.state when tg_op = 'INSERT' or old.state = 'draft' then 'started' else 'resumed' end,
    new.id, null, null);
  return null;
end $$;
create trigger campaigns_told after update of state on carillon.campaigns
  for each row when (old.state is distinct from new.state and new.state <> 'draft' and new.deleted_at is null)
  execute function carillon.tell_campaign();
create trigger campaigns_began after insert on carillon.campaigns
  for each row when (new.state <> 'draft' and new.kind = 'list') execute function carillon.tell_campaign();

create function carillon.tell_key() returns trigger language plpgsql as $$
begin
  perform carillon.emit('key.' || new.state, null, new.id::text, jsonb_build_object('name', new.name, 'state', new.state));
  return null;
end $$;
create trigger lanes_told after update of state on carillon.lanes
  for each row when (old.state is distinct from new.state) execute function carillon.tell_key();

create function carillon.tell_number() returns trigger language plpgsql as $$
begin
  perform carillon.emit(case when new.rest is null then 'number.returned' else 'number.resting' end, null, new.name,
    jsonb_build_object('phone_number', new.name, 'rest', new.rest, 'rested_at', new.rested_at,
      'returns_at', new.returns_at, 'sure', case when new.rest in ('answers', 'short') then new.sure end));
  return null;
end $$;
create trigger numbers_told after update of rest on carillon.caller_numbers
  for each row when (old.rest is distinct from new.rest) execute function carillon.tell_number();
create trigger numbers_began after insert on carillon.caller_numbers
  for each row when (new.rest is not null) execute function carillon.tell_number();

-- Numbers what is committed and not numbered yet, in the order in which it was written: returns the highest number so
-- far, and whether more may be left. One process at a time, so that readers who see a number see all below it; a second
-- process gets what is already numbered. Nothing waits for a long transaction: what it wrote is numbered after its
-- commit. Events of one person or campaign stay in order: whoever moved it later waited for the earlier commit, wrote a
-- higher id, and is not seen without it. It is a function because the rows must be read after the lock. most: rows at
-- once
create function carillon.number_events(most integer) returns table (reached bigint, more boolean) language plpgsql
set enable_seqscan = off
as $$
declare
  base bigint;
  taken_rows integer;
begin
  if not exists (select from carillon.outbox) or not pg_try_advisory_xact_lock(hashtext('carillon events')) then
    return query select m.last, false from carillon.event_marks m;
    return;
  end if;
  select m.last into base from carillon.event_marks m;
  with taken as (
    delete from carillon.outbox o
    where o.id = any (array(select x.id from carillon.outbox x order by x.id limit most))
    returning o.*
  ), numbered as (
    insert into carillon.events (first, last, numbered_at, at, type, campaign_id, recipients, attempts, subject, data)
    select base + t.upto - t.size + 1, base + t.upto, date_trunc('milliseconds', clock_timestamp()), t.at, t.type,
      t.campaign_id, t.recipients, t.attempts, t.subject, t.data
    from (
      select s.*, sum(s.size) over (order by s.id) as upto
      from (select x.*, coalesce(cardinality(x.recipients), 1) as size from taken x) s
    ) t
    order by t.id
    returning last
  )
  select max(n.last), count(*) into reached, taken_rows from numbered n;
  reached := coalesce(reached, base);
  update carillon.event_marks m set last = reached where m.last < reached;
  more := taken_rows >= most;
  return next;
end $$;

-- The last event that no webhook needs any more; null if there is none. A resting webhook waits for a person, who can
-- only have what is kept.
create function carillon.events_delivered() returns bigint language sql stable as
$$ select min(least(w.cursor, (select min(h.number) - 1 from carillon.webhook_blocked h where h.webhook_id = w.id)))
  from carillon.webhooks w where w.state <> 'resting' $$;

-- Removes events that were numbered longer ago than they are kept, in order, and at most this many rows at once. Events
-- that webhooks still need stay a month longer, for receivers that were away that long. The newest row stays too: a
-- reader of it continues after it, however long nothing has happened. Returns how many were removed.
create function carillon.forget_events(keep_seconds double precision, most integer) returns integer language plpgsql
set enable_seqscan = off
as $$
declare
  kept_from constant timestamptz := now() - make_interval(secs => keep_seconds);
  delivered constant bigint := carillon.events_delivered();
  upto bigint;
  removed integer;
begin
  select max(e.last) into upto from (
    select x.last, x.numbered_at from carillon.events x order by x.last limit most
  ) e
  where e.numbered_at < kept_from and e.last < (select m.last from carillon.event_marks m)
    and (delivered is null or e.last <= delivered or e.numbered_at < kept_from - interval '30 days');
  if upto is null then return 0; end if;
  delete from carillon.events e where e.last <= upto;
  get diagnostics removed = row_count;
  update carillon.event_marks m set gone = greatest(m.gone, upto);
  return removed;
end $$;

-- The number of the last event that was numbered before a time: a reader who continues after it sees all that happened
-- from then on and is still kept. Numbers and times grow together, so it is found in a few looks.
create function carillon.number_before(since timestamptz) returns bigint language plpgsql stable
set enable_seqscan = off
as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  at timestamptz;
begin
  select m.gone, m.last into low, high from carillon.event_marks m;
  while low < high loop
    middle := (low + high) / 2;
    select e.numbered_at into at from carillon.events e where e.last > middle order by e.last limit 1;
    if at >= since then high := middle; else low := middle + 1; end if;
  end loop;
  return low;
end $$;

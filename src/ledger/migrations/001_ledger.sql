-- Up Migration
-- The ledger: the only truth. Every state is drawn in docs/states.md and enforced here by a CHECK.

create schema if not exists carillon;

-- One voice-service account behind one key. Its secret is never here, its name is.
create table carillon.lanes (
  id integer generated always as identity primary key,
  base_url text not null,
  name text not null,
  state text not null default 'open' check (state in ('open', 'broke', 'denied')),
  reason text,
  since timestamptz not null default now(),
  -- A broke lane sends one create at growing intervals, to see whether the credit is back.
  probe_at timestamptz,
  probe_gap_ms integer not null default 5000,
  probe_attempt uuid,
  unique (base_url, name)
);

-- One order to call a list.
create table carillon.campaigns (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- 'calls' gathers the single calls that came through the API or `call create`.
  kind text not null default 'list' check (kind in ('list', 'calls')),
  base_url text not null,
  state text not null default 'draft' check (state in ('draft', 'running', 'paused', 'canceled', 'done')),
  reason text,
  -- Who dials it: a `run` that lives, or the background workers.
  driver text not null check (driver in ('run', 'background')),
  run_id uuid,
  run_seen_at timestamptz,
  agent_id text not null,
  -- Callers in turn: [{"number": "+1..."}] or [{"numberId": "..."}]; empty: the service chooses.
  callers jsonb not null default '[]',
  timezone text,
  -- {"from": minute, "to": minute, "days": [1..7]}, or null: any hour, any day.
  hours jsonb,
  max_calls integer check (max_calls > 0),
  max_attempts integer not null default 1 check (max_attempts > 0),
  -- Seconds to wait before the next attempt, by outcome.
  retry jsonb not null default '{}',
  -- The input's own columns in their order, and those of them that are not variables.
  columns text[] not null default '{}',
  mapped text[] not null default '{}',
  -- Until a create was accepted, one goes out at a time; faults counts the refusals in a row.
  proved boolean not null default false,
  faults integer not null default 0,
  -- Grows with every change of what a dialer must know; an attempt opened on an old one is refused.
  revision integer not null default 0,
  -- Requests of the campaign that belong to no attempt, such as the check of the caller number.
  requests integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  superseded_at timestamptz
);
create unique index campaigns_name on carillon.campaigns (name) where superseded_at is null;

-- One person on one campaign.
create table carillon.recipients (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references carillon.campaigns,
  row integer not null,
  phone text not null,
  -- Tells two single calls to one phone apart; empty on a list, where a phone stands once.
  ref text not null default '',
  name text,
  zones text not null default '',
  input jsonb not null default '{}',
  state text not null default 'waiting' check (
    state in ('waiting', 'queued', 'calling', 'done', 'parked', 'unknown', 'rejected', 'skipped')),
  outcome text check (
    outcome in ('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled')),
  reason text,
  -- Attempts that may have reached the person's phone.
  attempts integer not null default 0 check (attempts >= 0),
  next_at timestamptz not null default '-infinity',
  attempt_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (campaign_id, phone, ref),
  check (state <> 'waiting' or outcome is null or attempts > 0)
);
create index recipients_due on carillon.recipients (campaign_id, next_at, row) where state = 'waiting';
create index recipients_state on carillon.recipients (campaign_id, state);
create index recipients_order on carillon.recipients (campaign_id, row, id);
create index recipients_phone on carillon.recipients (phone);

-- One try at a recipient: the unit of work, retry and truth.
create table carillon.attempts (
  id uuid primary key default gen_random_uuid(),
  campaign_id uuid not null references carillon.campaigns,
  recipient_id bigint not null references carillon.recipients,
  lane_id integer not null references carillon.lanes,
  number integer not null check (number > 0),
  caller jsonb,
  state text not null default 'planned' check (
    state in ('planned', 'parked', 'dialing', 'placed', 'unknown', 'done', 'refused', 'dropped')),
  -- Why it is unknown, refused or dropped: one word; detail holds the service's own words.
  reason text,
  detail text,
  -- The process that opened it, and how often a create left for it (a 429 leaves the attempt as it was).
  dialer text,
  -- Each admission's own: only its holder may say that nothing was sent. A dialer that lost the ledger's word says it
  -- again, perhaps when the attempt was opened anew and another request is under way; taken back then, the attempt
  -- would be dialled twice.
  ticket uuid,
  requests integer not null default 0,
  -- How often it was opened: whoever has loaded it before the last opening may not open it again.
  opens integer not null default 0,
  -- The opening that was counted as a loss of its lane.
  counted integer not null default 0,
  planned_at timestamptz not null default now(),
  dialing_at timestamptz,
  placed_at timestamptz,
  ended_at timestamptz,
  -- The service's call.
  call_id text,
  status text,
  outcome text check (
    outcome in ('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled')),
  polls integer not null default 0,
  next_poll_at timestamptz,
  deadline_at timestamptz,
  duration double precision,
  cost double precision,
  transcript text,
  recording_url text,
  structured_data jsonb,
  call_started_at timestamptz,
  call_ended_at timestamptz,
  check (state <> 'placed' or (call_id is not null and placed_at is not null)),
  check (state not in ('dialing', 'placed', 'unknown') or dialing_at is not null),
  check (state <> 'done' or ended_at is not null)
);
-- At most one live attempt a recipient: the second wall behind the compare-and-set.
create unique index attempts_live on carillon.attempts (recipient_id)
  where state in ('planned', 'parked', 'dialing', 'placed', 'unknown');
create index attempts_recipient on carillon.attempts (recipient_id);
create index attempts_open on carillon.attempts (campaign_id, state)
  where state in ('planned', 'parked', 'dialing', 'placed', 'unknown');
create index attempts_lane on carillon.attempts (lane_id, state)
  where state in ('planned', 'parked', 'dialing', 'placed');
create index attempts_call on carillon.attempts (call_id) where call_id is not null;

-- Time zones that a campaign's recipients have, so that the planner asks few questions of many rows.
create table carillon.campaign_zones (
  campaign_id uuid not null references carillon.campaigns,
  zones text not null,
  primary key (campaign_id, zones)
);

-- Rows of the latest import that were refused.
create table carillon.rejects (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references carillon.campaigns,
  row integer not null,
  reason text not null,
  input jsonb not null default '{}'
);
create index rejects_campaign on carillon.rejects (campaign_id, row, id);

-- People who must not be called.
create table carillon.suppressions (
  phone text primary key,
  reason text,
  created_at timestamptz not null default now()
);

-- What happened to a recipient, in order. Only ever added to.
create table carillon.events (
  id bigint generated always as identity primary key,
  recipient_id bigint not null,
  attempt_id uuid,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  detail text
);
create index events_recipient on carillon.events (recipient_id, id);

create function carillon.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the history is only ever added to';
end $$;
create trigger events_append_only before update or delete or truncate on carillon.events
  for each statement execute function carillon.refuse_change();

-- Every move of an attempt is written down by the ledger itself, so that no verb can forget it.
create function carillon.note_new_attempts() returns trigger language plpgsql as $$
begin
  insert into carillon.events (recipient_id, attempt_id, kind, detail)
  select recipient_id, id, state, reason from fresh;
  return null;
end $$;
create trigger attempts_noted_new after insert on carillon.attempts
  referencing new table as fresh for each statement execute function carillon.note_new_attempts();

create function carillon.note_moved_attempts() returns trigger language plpgsql as $$
begin
  insert into carillon.events (recipient_id, attempt_id, kind, detail)
  select fresh.recipient_id, fresh.id, fresh.state, coalesce(fresh.detail, fresh.reason, fresh.outcome)
  from fresh join stale using (id) where fresh.state <> stale.state;
  return null;
end $$;
create trigger attempts_noted_moved after update on carillon.attempts
  referencing old table as stale new table as fresh
  for each statement execute function carillon.note_moved_attempts();

-- Only these moves exist; docs/states.md draws the same picture.
create function carillon.check_move() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in (
    ('planned', 'dialing'), ('planned', 'parked'), ('planned', 'dropped'),
    ('parked', 'planned'), ('parked', 'dropped'),
    ('dialing', 'placed'), ('dialing', 'planned'), ('dialing', 'parked'),
    ('dialing', 'unknown'), ('dialing', 'refused'), ('dialing', 'dropped'),
    ('unknown', 'placed'), ('unknown', 'dropped'), ('unknown', 'done'), ('unknown', 'refused'),
    ('placed', 'done'), ('placed', 'unknown')
  ) then
    raise exception 'an attempt cannot move from % to %', old.state, new.state;
  end if;
  return new;
end $$;
create trigger attempts_move before update of state on carillon.attempts
  for each row when (old.state is distinct from new.state) execute function carillon.check_move();

-- Admits attempts and claims them in one transaction: what it answers 'open' for is committed as dialing
-- before a request leaves. A function, because a cap must be counted after the campaign's row was locked,
-- and a single statement would still count what it saw before it waited for that lock.
create function carillon.open_attempts(want jsonb, by_dialer text, by_run uuid, lane_cap integer)
returns table (attempt uuid, verdict text) language plpgsql as $$
declare
  entry record;
  campaign carillon.campaigns%rowtype;
  room integer;
begin
  if lane_cap is not null then
    perform 1 from carillon.lanes l
    where l.id in (select a.lane_id from jsonb_to_recordset(want) as w(id uuid)
                   join carillon.attempts a on a.id = w.id)
    order by l.id for no key update;
  end if;
  for entry in
    select a.campaign_id, array_agg(a.id order by a.planned_at, a.id) as ids,
      bool_or(c.max_calls is not null or not c.proved) as narrow
    from jsonb_to_recordset(want) as w(id uuid)
    join lateral (select x.id, x.campaign_id, x.planned_at from carillon.attempts x where x.id = w.id offset 0) a
      on a.id = w.id
    join carillon.campaigns c on c.id = a.campaign_id
    group by a.campaign_id order by a.campaign_id
  loop
    -- A share lock orders this admission against a pause or a cancel; a count needs the row for itself.
    if entry.narrow then
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for no key update;
    else
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for share;
    end if;
    room := null;
    if campaign.max_calls is not null then
      room := campaign.max_calls - (select count(*) from carillon.attempts a
        where a.campaign_id = campaign.id and a.state in ('dialing', 'placed'));
    end if;
    if not campaign.proved then
      room := least(room, 1 - (select count(*)::integer from carillon.attempts a
        where a.campaign_id = campaign.id and a.state = 'dialing'));
    end if;
    if lane_cap is not null then
      room := least(room, lane_cap - (select count(*)::integer from carillon.attempts a
        where a.lane_id = (select x.lane_id from carillon.attempts x where x.id = entry.ids[1])
          and a.state in ('dialing', 'placed')));
    end if;
    return query
    with judged as (
      select a.id, a.opens, w.ticket, case
        when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'
        when campaign.state = 'canceled' then 'canceled'
        when campaign.state <> 'running' then 'paused'
        when campaign.driver = 'run' and campaign.run_id is distinct from by_run then 'elsewhere'
        when campaign.driver = 'background' and by_run is not null then 'elsewhere'
        when campaign.revision <> w.revision then 'changed'
        when a.lane_state <> 'open' and a.probe_attempt is distinct from a.id then 'closed'
        when exists (select from carillon.suppressions s where s.phone = a.phone) then 'suppressed'
        else 'open' end as say
      from jsonb_to_recordset(want) as w(id uuid, revision integer, opens integer, ticket uuid)
      -- One by one by its key: no plan that was made while the tables were small may read them through.
      join lateral (
        select x.id, x.state, x.opens, x.campaign_id, r.phone, l.state as lane_state, l.probe_attempt
        from carillon.attempts x
        join carillon.recipients r on r.id = x.recipient_id
        join carillon.lanes l on l.id = x.lane_id
        where x.id = w.id offset 0
      ) a on a.id = w.id
      where a.campaign_id = campaign.id
    ), ranked as (
      select j.*, row_number() over (partition by j.say order by array_position(entry.ids, j.id)) as place
      from judged j
    ), opened as (
      update carillon.attempts a
      set state = 'dialing', dialing_at = clock_timestamp(), dialer = by_dialer, ticket = k.ticket,
        requests = a.requests + 1, opens = a.opens + 1
      from ranked k
      where a.id = k.id and a.state = 'planned' and a.opens = k.opens and k.say = 'open' and (room is null or k.place <= room)
      returning a.id, a.recipient_id
    ), people as (
      update carillon.recipients r set state = 'calling', updated_at = now()
      from opened o where r.id = o.recipient_id
    )
    select k.id, case
      when k.id in (select o.id from opened o) then 'open'
      when k.say = 'open' and room is not null and k.place > room then 'full'
      when k.say = 'open' then 'moved'
      else k.say end
    from ranked k;
  end loop;
end $$;

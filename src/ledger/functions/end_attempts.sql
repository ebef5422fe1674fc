-- Whether an ended attempt may have rung: if so, it counts for caps and gaps, whatever became of it. A refusal, and a
-- person who knows that no call was made, say that it did not.
create function carillon.may_have_rung(state text, reason text) returns boolean language sql immutable as
$$ select state = 'done' or (state = 'dropped' and reason = 'redialed') $$;

-- Until when an attempt kept its phone, if it lasted longer than it may keep it: only an attempt that was unknown lost
-- it.
create function carillon.lost_phone_at(of_recipient bigint, of_attempt uuid, state text, phone_until timestamptz)
returns timestamptz language sql stable as
$$ select case when state = 'unknown' or exists (select from carillon.history h where h.recipient_id = of_recipient
  and h.attempt_id = of_attempt and h.kind = 'unknown') then phone_until end $$;

-- Ends attempts whose call, if any, has no result. Besides a settlement, this is the only way out of carillon.attempts.
-- An attempt in none of these states stays as it is. Returns the ended ones.
create function carillon.end_attempts(ids uuid[], from_states text[], into_state text, why text, words text)
returns table (id uuid, recipient_id bigint, campaign_id uuid, was text) language sql as $$
  with locked as (
    select a.id from carillon.attempts a
    where a.id = any (ids) and a.state = any (from_states) order by a.id for update
  ), gone as (
    delete from carillon.attempts a using locked h where a.id = h.id returning a.*
  ), freed as (
    delete from carillon.live_phones p using (
      select g.id, k.phone from gone g cross join lateral unnest(carillon.kept_by(g.phone, g.keeps)) as k(phone) offset 0) o
    where p.phone = o.phone and p.attempt_id = o.id
  ), rung as (
    insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id, caller)
    select g.phone, greatest(g.dialing_at, g.repeated_at), least(clock_timestamp(), g.phone_until), false, g.id,
      coalesce(g.caller ->> 'number', g.caller ->> 'numberId')
    from gone g where carillon.may_have_rung(into_state, why)
  ), returned as (
    -- Nobody was called: the run may open others.
    update carillon.run_limits l set calls_left = l.calls_left + (select count(*)::integer from gone g
      where g.campaign_id = l.campaign_id and g.state not in ('planned', 'parked') and g.dialing_at >= l.since)
    where not carillon.may_have_rung(into_state, why)
      and l.campaign_id in (select g.campaign_id from gone g where g.state not in ('planned', 'parked'))
  )
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, policy_version,
    planned_at, dialing_at, placed_at, phone_until, phone, state, was, reason, detail, caller, agent, call_id,
    provider_call_sid, status)
  select g.id, g.recipient_id, g.campaign_id, g.lane_id, g.number, g.requests, g.polls, g.policy_version,
    g.planned_at, g.dialing_at, g.placed_at,
    case when g.phone_until < clock_timestamp() then carillon.lost_phone_at(g.recipient_id, g.id, g.state, g.phone_until)
    end, g.phone, into_state, g.state, why, coalesce(words, g.detail), g.caller, g.agent,
    g.call_id, g.provider_call_sid, g.status
  from gone g
  returning id, recipient_id, campaign_id, was
$$;

-- Ends attempts that made no call, with their people: these wait again in their old places, unless their campaign was
-- canceled or their phone suppressed. why, words: of the attempt; due: when the person is next due (null: as before).
-- Returns the ended ones.
create function carillon.take_back(ids uuid[], from_states text[], why text, words text, due timestamptz)
returns table (id uuid, recipient_id bigint) language sql as $$
  with moved as (
    select e.id, e.recipient_id from carillon.end_attempts(ids, from_states, 'dropped', why, words) e
  ), people as (
    update carillon.recipients r
    set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
      next_at = coalesce(due, r.next_at), updated_at = now()
    from moved m where r.id = m.recipient_id
  )
  select m.id, m.recipient_id from moved m
$$;

-- Whether a campaign has called nobody: what it sent, if anything, was refused.
create function carillon.called_nobody(of_campaign uuid) returns boolean language sql stable as $$
  select not exists (select from carillon.counts n
      where n.campaign_id = of_campaign and n.name in ('calls', 'redialed') and n.n > 0)
    and not exists (select from carillon.attempts a
      where a.campaign_id = of_campaign and a.state in ('dialing', 'placed', 'unknown'))
$$;

-- Moves a campaign that has called nobody to another service, for whose keys its plans wait again. False if it has
-- called somebody. The lock keeps a dialer of the old service from opening an attempt in between.
create function carillon.move_campaign(of_campaign uuid, service text) returns boolean language plpgsql as $$
begin
  perform from carillon.campaigns c where c.id = of_campaign for no key update;
  if not carillon.called_nobody(of_campaign) then return false; end if;
  perform carillon.take_back(
    array(select a.id from carillon.attempts a where a.campaign_id = of_campaign),
    '{planned,parked}', 'another service', null, null);
  update carillon.campaigns c set base_url = service, proved = false, revision = c.revision + 1, updated_at = now()
  where c.id = of_campaign;
  return true;
end $$;

-- Skips a batch of people of one campaign who are waiting, planned or parked. Returns how many. A plan made at the same
-- moment is left to the next call, or to the dialer.
create function carillon.sweep_campaign(of_campaign uuid, why text, most integer) returns integer language plpgsql as $$
declare
  planned integer;
  waiting integer;
begin
  with dropped as (
    select e.recipient_id from carillon.end_attempts(
      array(select a.id from carillon.attempts a
        where a.campaign_id = of_campaign and a.state in ('planned', 'parked') limit most),
      '{planned,parked}', 'dropped', 'canceled', null) e
  ), people as (
    update carillon.recipients r set state = carillon.end_state(r.outcome), reason = why, updated_at = now()
    from dropped d where r.id = d.recipient_id
    returning r.id
  )
  select count(*) into planned from people;
  with locked as materialized (
    select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting'
    limit most - planned for update
  ), parked as materialized (
    select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked'
    limit most - planned for update
  ), people as (
    update carillon.recipients r set state = carillon.end_state(r.outcome), reason = why, updated_at = now()
    from (select id from locked union all select id from parked) h
    where r.id = h.id and r.state in ('waiting', 'parked')
    returning r.id
  )
  select count(*) into waiting from people;
  return planned + waiting;
end $$;

-- The same for attempts that were perhaps sent: nothing was spent. Anyone whom the contact rules hold because of such an
-- attempt is judged again. note: in the person's history. Returns the freed attempts.
create function carillon.free_attempts(
  ids uuid[], from_states text[], why text, words text, note text, due timestamptz) returns setof uuid language sql as $$
  with moved as (
    select b.id, b.recipient_id from carillon.take_back(ids, from_states, why, words, due) b
  ), noted as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'resolved', note from moved m
  ), others as (
    update carillon.recipients r set held = null, held_under = null, retry_at = null,
      next_at = greatest(now(), r.retry_at), updated_at = now()
    from moved m join carillon.recipients own on own.id = m.recipient_id
    where r.phone = own.phone and r.id <> own.id and r.held is not null
  )
  select m.id from moved m
$$;

-- Attempts that a journal proves were never sent: their people wait again, and nothing was spent. An attempt that
-- somebody settled in the meantime, or that was opened again, stays as it is. It is a function because the request that
-- was counted at the opening is taken back before the attempt ends.
-- want: [{id, ticket, journal}]. Returns those that were freed.
create function carillon.free_unsent(want jsonb) returns setof uuid language plpgsql as $$
declare
  freed uuid[];
begin
  with locked as (
    select a.id from jsonb_to_recordset(want) as w(id uuid, ticket uuid, journal uuid)
    join carillon.attempts a on a.id = w.id
    where (a.state = 'dialing' or (a.state = 'unknown' and a.reason = 'crashed')) and a.call_id is null
      and a.ticket = w.ticket and a.journal = w.journal
      -- Its dialer may check until then whether the request may leave.
      and a.expires_at < clock_timestamp()
    order by a.id for update of a
  ), moved as (
    update carillon.attempts a set requests = a.requests - 1 from locked h where a.id = h.id returning a.id
  )
  select array_agg(m.id order by m.id) into freed from moved m;
  return query select carillon.free_attempts(
    freed, '{dialing,unknown}', 'unsent', 'it never left: the journal of its dialer has no note of it',
    'never left: the journal of the process that dialled proves it', null);
end $$;

-- A person names the call of an unknown attempt. The lock makes two people who name one call for two attempts take
-- turns, before the check of whose call it is: a single statement would still see what was there before it waited.
create function carillon.place_attempt(of_attempt uuid, call text, deadline_seconds double precision, why text)
returns table (id uuid, lane_id integer) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('carillon call ' || call, 0));
  return query
  with moved as (
    update carillon.attempts a
    set state = 'placed', call_id = call, placed_at = coalesce(a.placed_at, now()), reason = null, detail = null,
      next_poll_at = now(), deadline_at = now() + make_interval(secs => deadline_seconds)
    from carillon.lanes l
    where a.id = of_attempt and l.id = a.lane_id and a.state = 'unknown' and (a.call_id is null or a.call_id = call)
      and not exists (select from carillon.all_attempts o join carillon.lanes x on x.id = o.lane_id
        where o.call_id = call and o.id <> a.id and x.base_url = l.base_url)
    returning a.id, a.recipient_id, a.campaign_id, a.lane_id, a.phone, a.keeps
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.placed', m.campaign_id, array[m.recipient_id], array[m.id] from moved m
  ), noted as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called as ' || call, why) from moved m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id)
    select k.phone, m.id from moved m cross join lateral unnest(carillon.kept_by(m.phone, m.keeps)) as k(phone) order by k.phone
    on conflict (phone) do nothing
  )
  select m.id, m.lane_id from moved m;
end $$;

-- Which call ids that the service gave for creates on lanes do not belong to these attempts, and why: an ended attempt
-- has them. Usually none. The dialer checks live attempts, because no index covers what changes on the way.
create function carillon.taken_calls(calls text[], on_lanes integer[])
returns table (call text, on_lane integer, why text) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select distinct on (w.call, w.on_lane) w.call, w.on_lane,
    format('the service answered with the call %s, which is the attempt %s''s', w.call, e.id)
  from unnest(calls, on_lanes) as w(call, on_lane)
  cross join lateral (select x.id, x.lane_id from carillon.ended_attempts x where x.call_id = w.call offset 0) e
  where e.lane_id = w.on_lane or exists (
    select from carillon.lanes o join carillon.lanes l on l.base_url = o.base_url
    where o.id = e.lane_id and l.id = w.on_lane)
  order by w.call, w.on_lane, e.id;
end $$;

-- Definitions that several statements share.

-- Whether a run is active: it reports every half second.
create function carillon.run_lives(seen_at timestamptz) returns boolean language sql stable as
$$ select coalesce(seen_at > now() - interval '30 seconds', false) $$;

-- The state of a recipient who is not called any more: done with an outcome, skipped without one.
create function carillon.end_state(outcome text) returns text language sql immutable as
$$ select case when outcome is null then 'skipped' else 'done' end $$;

-- Whether a person may be taken off a list: nobody calls them now, and no call of theirs is in doubt.
create function carillon.may_skip(state text, attempt_state text) returns boolean language sql immutable as
$$ select state in ('waiting', 'parked') or (state = 'live' and attempt_state in ('planned', 'parked')) $$;

-- Whether a row of a list brings back a person who was skipped, as a list left them out before, or the order did; or one whom
-- the service refused, when the row has changed.
create function carillon.comes_back(state text, reason text, outcome text, changed boolean) returns boolean
language sql immutable as
$$ select case state when 'rejected' then changed when 'skipped' then outcome is null
  and (reason in ('not in the file any more', 'ended') or reason like 'can never be called:%') else false end $$;

-- When an attempt without an answer may be tried again. After its expiry, the kernel of a killed process can keep
-- delivering what it sent for about two minutes.
create function carillon.free_from(expires_at timestamptz) returns timestamptz language sql stable as
$$ select expires_at + interval '3 minutes' $$;

-- Whether a rule may call again after an unknown attempt of this reason: not where the service took a call, nor where the
-- ledger itself forgot.
create function carillon.may_redial(reason text) returns boolean language sql immutable as
$$ select coalesce(reason not in ('mismatch', 'accepted', 'lost-history'), true) $$;

-- Whether an unknown attempt surely made its call: only the call's end is missing.
create function carillon.took_call(call_id text, reason text) returns boolean language sql immutable as
$$ select call_id is not null or coalesce(reason = 'accepted', false) $$;

-- The state that people see for a recipient with a live attempt.
create function carillon.seen_as(state text) returns text language sql immutable as
$$ select case state when 'planned' then 'queued' when 'parked' then 'parked' when 'unknown' then 'unknown'
  else 'calling' end $$;

-- The caller number of the nth try: the numbers take turns.
create function carillon.caller_of(terms jsonb, n integer) returns jsonb language sql immutable as
$$ select case when jsonb_array_length(terms -> 'callers') > 0
  then terms -> 'callers' -> (n % jsonb_array_length(terms -> 'callers')) end $$;

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

-- An id that sorts by the time at which it was made: in every index, the ids of one hour are next to each other.
create function carillon.new_id() returns uuid language sql volatile as
$$ select encode(overlay(overlay(uuid_send(gen_random_uuid())
  placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6)
  placing set_byte('\x00'::bytea, 0, 112 + (random() * 15)::integer) from 7 for 1), 'hex')::uuid $$;

-- Whether an attempt has a call that can be hung up, or may have one in a moment.
create function carillon.may_hang_up(state text, call_id text) returns boolean language sql immutable as
$$ select state in ('dialing', 'placed') or (state = 'unknown' and call_id is not null) $$;

-- Phones that must not be called now: by one campaign, or by any (null).
create view carillon.barred as
select s.phone, s.campaign_id from carillon.suppressions s where s.until is null or s.until > now();

-- The bar on a campaign's calls to a phone, if there is one: a suppression, or that the person was erased. A campaign that
-- is not there yet is null. Postgres puts such a function's own query in its place, so that it costs an index lookup.
create function carillon.barring(of_phone text, by_campaign uuid) returns setof carillon.barred language sql stable as
$$ select b.* from carillon.barred b
  where b.phone = of_phone and (b.campaign_id is null or b.campaign_id = by_campaign)
  union all
  select of_phone, null::uuid where starts_with(of_phone, 'erased:') $$;

-- The new state of a person whose attempt ends without a call: they wait again, unless their campaign was canceled or
-- their phone suppressed. The reason is the one that a sweep gives, or the list of suppressions.
create function carillon.freed_as(of_campaign uuid, of_phone text, outcome text) returns table (state text, reason text)
language sql stable as
$$ select case when x.reason is null then 'waiting' else carillon.end_state(outcome) end, x.reason
  from (
    select case when c.state = 'canceled' then coalesce(c.sweep, 'campaign canceled')
      when exists (select from carillon.barring(of_phone, of_campaign)) then 'suppressed' end as reason
    from carillon.campaigns c where c.id = of_campaign offset 0
  ) x $$;

-- The rest of a campaign's work: a row for each person who waits, is parked or has a live attempt.
create function carillon.left_of(of_campaign uuid) returns setof uuid language sql stable as
$$ select r.campaign_id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting'
  union all
  select r.campaign_id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked'
  union all
  select a.campaign_id from carillon.attempts a where a.campaign_id = of_campaign $$;

-- Whether a lane that creates no calls may try one, and when it may try the next if nothing comes of that one.
create function carillon.probe_is_due(l carillon.lanes) returns boolean language sql stable as
$$ select l.state in ('failing', 'out_of_credit') and l.probe_at <= now()
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing') $$;
create function carillon.next_probe(l carillon.lanes) returns timestamptz language sql stable as
$$ select now() + make_interval(secs => greatest(l.probe_gap_ms, 5000) / 1000.0) $$;

-- A value that grows with every change of a row.
create function carillon.version_of(updated_at timestamptz) returns text language sql immutable as
$$ select (extract(epoch from updated_at) * 1000000)::bigint::text $$;

-- The phone as people see it: of a person who was erased there is none.
create function carillon.shown_phone(phone text) returns text language sql immutable as
$$ select case when starts_with(phone, 'erased:') then '' else phone end $$;

-- Phones that a planner skips: live ones, and those planned a moment ago. Query it one phone at a time, with `offset
-- 0`: a join would scan the second half once for every person.
create view carillon.phones_in_use as
select phone from carillon.live_phones
union all
select phone from carillon.attempts where state = 'planned' and planned_at > now() - interval '15 seconds';

-- Recipients as people see them.
create view carillon.people as
select r.id, r.campaign_id, r.row, carillon.shown_phone(r.phone) as phone, r.ref, r.name, r.agent, r.place, r.input, r.outcome,
  r.next_at, r.held, r.updated_at, r.redials, r.erased_at,
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state,
  case when a.state in ('parked', 'unknown') then a.detail else r.reason end as reason,
  r.attempts + case when a.state in ('dialing', 'placed', 'unknown') then 1 else 0 end as attempts,
  a.id as attempt_id
from carillon.recipients r left join carillon.attempts a on a.recipient_id = r.id;

-- Attempts, live and over, as people see them.
create view carillon.all_attempts as
select id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at, dialing_at, expires_at, placed_at,
  null::timestamptz as ended_at, null::timestamptz as call_started_at, null::timestamptz as call_ended_at,
  null::double precision as duration, null::double precision as cost, phone, state, null::text as outcome, reason, detail,
  caller, agent, call_id, provider_call_sid, status, next_poll_at, null::text as direction, null::text as contact_id,
  null::text as recording_url, null::text as transcript, null::jsonb as structured_data, null::jsonb as metadata,
  null::jsonb as record, null::text as was, null::text as ended_reason, null::text as currency
from carillon.attempts
union all
select id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at, dialing_at, null, placed_at,
  ended_at, call_started_at, call_ended_at, duration, cost, carillon.shown_phone(phone), state, outcome, reason, detail,
  caller, agent, call_id, provider_call_sid, status, null, direction, contact_id, recording_url, transcript, structured_data,
  metadata, record, was, ended_reason, currency
from carillon.ended_attempts;

-- How much a call's words are, without reading them.
create function carillon.bytes_said(transcript text, structured_data jsonb, metadata jsonb) returns integer language sql stable
return coalesce(octet_length(transcript), 0) + coalesce(pg_column_size(structured_data), 0) + coalesce(pg_column_size(metadata), 0);

-- Attempts as a person's record lists them: without the plans that were withdrawn before they were dialled.
create view carillon.tries as
select a.id, a.recipient_id as "ofRecipient", a.number, a.state, a.outcome, a.agent, l.name as key, a.caller, a.phone,
  a.call_id as "callId", a.provider_call_sid, a.status, a.duration, a.cost, a.planned_at as "plannedAt",
  -- A plan that was taken back keeps the time of its last opening.
  case when a.state not in ('planned', 'parked') then a.dialing_at end as "dialedAt",
  coalesce(a.call_started_at, a.placed_at) as "startedAt", coalesce(a.call_ended_at, a.ended_at) as "endedAt",
  a.direction, a.contact_id, a.transcript, a.recording_url,
  a.structured_data, a.metadata, a.record ->> 'org_id' as org_id, a.record ->> 'agent_id' as agent_id, a.ended_reason, a.currency,
  case when a.phone <> '' then coalesce(a.detail, a.reason) end as error,
  carillon.bytes_said(a.transcript, a.structured_data, a.metadata) as bytes
from carillon.all_attempts a join carillon.lanes l on l.id = a.lane_id
where a.was is null or a.state <> 'dropped' or a.was not in ('planned', 'parked');

-- Recipients with the result of the latest attempt that has one: an attempt that was taken back before its call has
-- none. The words of the call are not in it: `said` is where they are, `bytes` how much they are.
create view carillon.results as
select r.id, r.campaign_id, r.row, r.phone, r.name, r.state, r.outcome, r.attempts, r.reason as error, r.input,
  a.call_id as "callId", a.status, a.duration, a.cost, a.recording_url, a.provider_call_sid, a.direction,
  a.contact_id, a.record ->> 'org_id' as org_id, a.record ->> 'agent_id' as agent_id, a.ended_reason, a.currency,
  a.started_at as "startedAt", a.ended_at as "endedAt",
  coalesce(a.agent, r.agent) as agent, l.name as "callKey", a.caller as "callFrom", r.updated_at as "updatedAt",
  r.erased_at as "erasedAt", r.place, nullif(r.next_at, '-infinity') as "nextAt", r.held, coalesce(h.in_use, false) as "inUse", h.until as "phoneUntil",
  a.id as said, carillon.bytes_said(a.transcript, a.structured_data, a.metadata) as bytes
from carillon.people r
left join lateral (
  select true as in_use, case when a.state = 'unknown' then a.phone_until end as until
  from carillon.live_phones p left join carillon.attempts a on a.id = p.attempt_id
  where r.state in ('waiting', 'queued') and p.phone = r.phone
) h on true
left join lateral (
  select * from (
    select x.id, x.number, x.dialing_at, x.lane_id, x.agent, x.caller, x.call_id, x.status, x.duration, x.cost, x.transcript, x.recording_url,
      x.structured_data, x.provider_call_sid, x.direction, x.contact_id, x.metadata, x.record, x.ended_reason, x.currency,
      coalesce(x.call_started_at, x.placed_at) as started_at,
      coalesce(x.call_ended_at, x.ended_at) as ended_at
    from carillon.ended_attempts x where x.recipient_id = r.id and x.state in ('done', 'refused')
    union all
    select null::uuid, x.number, x.dialing_at, x.lane_id, x.agent, x.caller, x.call_id, x.status, null, null, null, null, null, x.provider_call_sid, null, null,
      null, null, null, null, x.placed_at, null
    from carillon.attempts x where x.recipient_id = r.id and x.state in ('dialing', 'placed', 'unknown')
  ) x order by x.number desc, x.dialing_at desc limit 1
) a on true
left join carillon.lanes l on l.id = a.lane_id;

-- Whether a campaign's end has come. Ends are kept as text of one form, in UTC, which sorts as times do.
create function carillon.has_ended(ends_at text) returns boolean language sql stable
return ends_at <= to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Attempts: what may be done with one, and all of them as people see them.

-- An id that sorts by the time at which it was made: in every index, the ids of one hour are next to each other.
create function carillon.new_id() returns uuid language sql volatile as
$$ select encode(overlay(overlay(uuid_send(gen_random_uuid())
  placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6)
  placing set_byte('\x00'::bytea, 0, 112 + (random() * 15)::integer) from 7 for 1), 'hex')::uuid $$;

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

-- Whether an attempt has a call that can be hung up, or may have one in a moment.
create function carillon.may_hang_up(state text, call_id text) returns boolean language sql immutable as
$$ select state in ('dialing', 'placed') or (state = 'unknown' and call_id is not null) $$;

-- The phone as people see it: of a person who was erased there is none.
create function carillon.shown_phone(phone text) returns text language sql immutable as
$$ select case when starts_with(phone, 'erased:') then '' else phone end $$;

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

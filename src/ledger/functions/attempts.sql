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

-- Admits an unknown attempt whose create is to be sent again, with its first key and bytes: see open_attempts. If the
-- first one never arrived, this makes the call, so all that forbids a call forbids it too. The new expiry is committed
-- before it leaves: until then no process sends it again, and nobody frees the person. by_ticket: that of the request
-- before; next_ticket: its own; closes: when the hours close (null: never); rules: the version of the contact rules by
-- which they were judged. Locks as in open_attempts.
create function carillon.repeat_attempt(
  of_attempt uuid, by_ticket uuid, next_ticket uuid, by_dialer text, by_run uuid, lane_cap integer, closes timestamptz,
  of_revision integer, rules integer, timeout_ms integer, keeps_phone_ms double precision)
returns table (verdict text, create_sent text) language plpgsql as $$
declare
  own carillon.attempts%rowtype;
  campaign carillon.campaigns%rowtype;
  lane carillon.lanes%rowtype;
  policy carillon.policies%rowtype;
  numbers text[];
  places integer;
  moment timestamptz;
  said text := 'moved';
begin
  perform set_config('synchronous_commit', 'on', true);
  select * into own from carillon.attempts a where a.id = of_attempt;
  if found then
    select * into lane from carillon.lanes l where l.id = own.lane_id for no key update;
    campaign := carillon.lock_campaign(own.campaign_id, true);
    -- Taken anew, so that a suppression or an erasure waits for this as for an opening.
    numbers := carillon.kept_by(own.phone, own.keeps);
    perform carillon.free_phones(own.id, numbers);
    insert into carillon.live_phones (phone, attempt_id) select k, own.id from unnest(numbers) as k order by k
    on conflict (phone) do nothing;
    select * into own from carillon.attempts a where a.id = of_attempt for update;
    select * into policy from carillon.policies p order by p.version desc limit 1;
    places := carillon.places_left(campaign, own.lane_id, lane_cap, by_dialer, by_run);
    moment := clock_timestamp();
    said := case
      when own.state is distinct from 'unknown' or own.sent is null or own.call_id is not null
        or own.ticket is distinct from by_ticket or not carillon.is_sound() then 'moved'
      -- It must have arrived within the promise.
      when own.repeat_until < moment + make_interval(secs => timeout_ms / 1000.0) then 'over'
      when lane.state = 'denied' then 'closed'
      when campaign.state = 'paused' then 'paused'
      when campaign.state <> 'running' then 'canceled'
      when (campaign.driver = 'run' and campaign.run_id is distinct from by_run)
        or (campaign.driver = 'background' and by_run is not null) then 'elsewhere'
      when campaign.revision <> of_revision or policy.version is distinct from rules then 'changed'
      when exists (select from carillon.barring(own.phone, own.campaign_id)) then 'suppressed'
      when closes <= moment then 'shut'
      when places < 1 or carillon.number_is_full(own, campaign.per_number_calls) then 'full'
      when carillon.others_have(numbers, own.id) then 'in-use'
      when not campaign.ignores_policy and exists (select from carillon.judge_phones(
        array[own.phone], array[own.id], moment, policy.caps, policy.gap, policy.conversation)) then 'held'
      else 'open' end;
  end if;
  if said = 'open' then
    update carillon.attempts a set ticket = next_ticket, dialer = by_dialer, journal = null, repeated_at = moment,
      expires_at = e.at, look_at = e.at, phone_until = e.at + make_interval(secs => keeps_phone_ms / 1000.0)
    from (select moment + make_interval(secs => timeout_ms / 1000.0) + interval '15 seconds' as at) e
    where a.id = of_attempt;
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    values (own.recipient_id, own.id, 'repeated', by_dialer);
  end if;
  return query select said, own.sent;
end $$;

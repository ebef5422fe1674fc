-- Recipients: their states, and all of them as people see them.

-- The state of a recipient who is not called any more: done with an outcome, skipped without one.
create function carillon.end_state(outcome text) returns text language sql immutable as
$$ select case when outcome is null then 'skipped' else 'done' end $$;

-- How many attempts a person may have: as the order says, at least as many as were asked for by hand, and the calls that
-- the person asked for besides.
create function carillon.most_tries(max_attempts integer, r carillon.recipients) returns integer language sql immutable as
$$ select greatest(max_attempts, r.granted) + r.callbacks $$;

-- What holds a waiting row until its time: a contact rule, else the person's own wish; null where it is a retry.
create function carillon.held_by(held text, callback_at timestamptz) returns text language sql immutable as
$$ select coalesce(held, case when callback_at is not null then 'callback' end) $$;

-- Whether a person may be taken off a list: nobody calls them now, and no call of theirs is in doubt.
create function carillon.may_skip(state text, attempt_state text) returns boolean language sql immutable as
$$ select state in ('waiting', 'parked') or (state = 'live' and attempt_state in ('planned', 'parked')) $$;

-- Whether a row of a list brings back a person who was skipped, as a list left them out before, or the order did; or one whom
-- the service refused, when the row has changed.
create function carillon.comes_back(state text, reason text, outcome text, changed boolean) returns boolean
language sql immutable as
$$ select case state when 'rejected' then changed when 'skipped' then outcome is null
  and (reason in ('not in the file any more', 'ended') or reason like 'can never be called:%') else false end $$;

-- The state that people see for a recipient with a live attempt.
create function carillon.seen_as(state text) returns text language sql immutable as
$$ select case state when 'planned' then 'queued' when 'parked' then 'parked' when 'unknown' then 'unknown'
  else 'calling' end $$;

-- Phones that a planner skips: live ones, and those planned a moment ago. Query it one phone at a time, with `offset
-- 0`: a join would scan the second half once for every person.
create view carillon.phones_in_use as
select phone from carillon.live_phones
union all
select phone from carillon.attempts where state = 'planned' and planned_at > now() - interval '15 seconds';

-- Recipients as people see them.
create view carillon.people as
select r.id, r.campaign_id, r.row, carillon.shown_phone(r.phone) as phone, r.ref, r.name, r.agent, r.place, r.input, r.outcome,
  r.next_at, carillon.held_by(r.held, r.callback_at) as held, r.updated_at, r.redials, r.erased_at, r.several, r.callbacks,
  case when r.state in ('waiting', 'parked', 'live') then r.callback_at end as callback_at,
  case when a.id is null then r.state else carillon.seen_as(a.state) end as state,
  case when a.state in ('parked', 'unknown') then a.detail else r.reason end as reason,
  r.attempts + case when a.state in ('dialing', 'placed', 'unknown') then 1 else 0 end as attempts,
  a.id as attempt_id
from carillon.recipients r left join carillon.attempts a on a.recipient_id = r.id;

-- The numbers of a person who has several, as people see them: each with why it is not called, if so; null for a person with
-- one.
create function carillon.shown_phones(person bigint, of_campaign uuid, several boolean) returns jsonb language plpgsql stable as $$
begin
  if not several then return null; end if;
  return (
    select jsonb_agg(jsonb_build_object('phone', p.phone, 'passed', coalesce(p.passed,
      case when exists (select from carillon.barring(p.phone, of_campaign)) then 'suppressed' end)) order by p.nth)
    from carillon.phones p where p.recipient_id = person);
end $$;

-- Recipients with the result of the latest attempt that has one: an attempt that was taken back before its call has
-- none. The words of the call are not in it: `said` is where they are, `bytes` how much they are.
create view carillon.results as
select r.id, r.campaign_id, r.row,
  -- Of several numbers the one that was called last: the next one is called only when the person's turn comes, and never
  -- if the campaign ends before.
  case when r.several and r.state in ('waiting', 'done') then coalesce(nullif(carillon.shown_phone(a.phone), ''), r.phone) else r.phone end as phone,
  r.name, r.state, r.outcome, r.attempts, r.reason as error, r.input, carillon.shown_phones(r.id, r.campaign_id, r.several) as phones,
  a.call_id as "callId", a.status, a.duration, a.cost, a.recording_url, a.provider_call_sid, a.direction,
  a.contact_id, a.record ->> 'org_id' as org_id, a.record ->> 'agent_id' as agent_id, a.ended_reason, a.currency,
  a.started_at as "startedAt", a.ended_at as "endedAt",
  coalesce(a.agent, r.agent) as agent, l.name as "callKey", a.caller as "callFrom", r.updated_at as "updatedAt",
  r.erased_at as "erasedAt", r.callback_at as "callbackAt", r.place, nullif(r.next_at, '-infinity') as "nextAt", r.held, coalesce(h.in_use, false) as "inUse", h.until as "phoneUntil",
  a.id as said, carillon.bytes_said(a.transcript, a.structured_data, a.metadata) as bytes
from carillon.people r
left join lateral (
  select true as in_use, case when a.state = 'unknown' then a.phone_until end as until
  from carillon.live_phones p left join carillon.attempts a on a.id = p.attempt_id
  where r.state in ('waiting', 'queued') and p.phone = r.phone
) h on true
left join lateral (
  select * from (
    select x.id, x.phone, x.number, x.dialing_at, x.lane_id, x.agent, x.caller, x.call_id, x.status, x.duration, x.cost, x.transcript, x.recording_url,
      x.structured_data, x.provider_call_sid, x.direction, x.contact_id, x.metadata, x.record, x.ended_reason, x.currency,
      coalesce(x.call_started_at, x.placed_at) as started_at,
      coalesce(x.call_ended_at, x.ended_at) as ended_at
    from carillon.ended_attempts x where x.recipient_id = r.id and x.state in ('done', 'refused')
    union all
    select null::uuid, x.phone, x.number, x.dialing_at, x.lane_id, x.agent, x.caller, x.call_id, x.status, null, null, null, null, null, x.provider_call_sid, null, null,
      null, null, null, null, x.placed_at, null
    from carillon.attempts x where x.recipient_id = r.id and x.state in ('dialing', 'placed', 'unknown')
  ) x order by x.number desc, x.dialing_at desc limit 1
) a on true
left join carillon.lanes l on l.id = a.lane_id;

-- Whether an attempt that is over may have rung: it counts for caps and gaps, whatever became of it. A refusal, and a person
-- who knows that no call was made, say that it did not.
create function carillon.may_have_rung(state text, reason text) returns boolean language sql immutable as
$$ select state = 'done' or (state = 'dropped' and reason = 'redialed') $$;

-- Until when an attempt kept its phone, of one that lasted longer than it may hold it: only one that was unknown lost it.
create function carillon.lost_phone_at(of_recipient bigint, of_attempt uuid, state text, holds_until timestamptz)
returns timestamptz language sql stable as
$$ select case when state = 'unknown' or exists (select from carillon.history h where h.recipient_id = of_recipient
  and h.attempt_id = of_attempt and h.kind = 'unknown') then holds_until end $$;

-- Ends attempts whose call, if any, has no result. Besides a settlement, this is the only way out of carillon.attempts.
-- An attempt in none of these states stays as it is. Returns the ended ones.
create function carillon.end_attempts(ids uuid[], from_states text[], into_state text, why text, words text)
returns table (id uuid, recipient_id bigint, campaign_id uuid, was text) language sql as $$
  with held as (
    select a.id from carillon.attempts a
    where a.id = any (ids) and a.state = any (from_states) order by a.id for update
  ), gone as (
    delete from carillon.attempts a using held h where a.id = h.id returning a.*
  ), freed as (
    delete from carillon.live_phones p using gone g where p.phone = g.phone and p.attempt_id = g.id
  ), rung as (
    insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
    select g.phone, g.dialing_at, least(clock_timestamp(), g.holds_until), false, g.id
    from gone g where carillon.may_have_rung(into_state, why)
  )
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, policy_version,
    planned_at, dialing_at, placed_at, held_until, phone, state, was, reason, detail, caller, agent, call_id,
    provider_call_sid, status)
  select g.id, g.recipient_id, g.campaign_id, g.lane_id, g.number, g.requests, g.polls, g.policy_version,
    g.planned_at, g.dialing_at, g.placed_at,
    case when g.holds_until < clock_timestamp() then carillon.lost_phone_at(g.recipient_id, g.id, g.state, g.holds_until)
    end, g.phone, into_state, g.state, why, coalesce(words, g.detail), g.caller, g.agent,
    g.call_id, g.provider_call_sid, g.status
  from gone g
  returning id, recipient_id, campaign_id, was
$$;

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
  with held as materialized (
    select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting'
    limit most - planned for update
  ), parked as materialized (
    select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked'
    limit most - planned for update
  ), people as (
    update carillon.recipients r set state = carillon.end_state(r.outcome), reason = why, updated_at = now()
    from (select id from held union all select id from parked) h
    where r.id = h.id and r.state in ('waiting', 'parked')
    returning r.id
  )
  select count(*) into waiting from people;
  return planned + waiting;
end $$;

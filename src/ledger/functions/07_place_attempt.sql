-- A person names the call of an unknown attempt. The lock puts two people who name one call for two attempts in line,
-- before the check who has it: a single statement would still see what was there before it waited.
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
    returning a.id, a.recipient_id, a.campaign_id, a.lane_id, a.phone
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.placed', m.campaign_id, array[m.recipient_id], array[m.id] from moved m
  ), noted as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called as ' || call, why) from moved m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id) select m.phone, m.id from moved m
    on conflict (phone) do nothing
  )
  select m.id, m.lane_id from moved m;
end $$;

-- Which call ids that the service gave for creates on lanes are not those of these attempts, and why: an attempt that is
-- over has them. Most often none is. The dialer checks live attempts, because no index covers what changes on the way.
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

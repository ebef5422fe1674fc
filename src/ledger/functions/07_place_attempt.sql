-- A person names the call of an unknown attempt. Two people who name one call for two attempts are put in line by it,
-- and only then is it looked who has it: a single statement would still see what stood before it waited.
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
    returning a.id, a.recipient_id, a.lane_id, a.phone
  ), noted as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called as ' || call, why) from moved m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id) select m.phone, m.id from moved m
    on conflict (phone) do nothing
  )
  select m.id, m.lane_id from moved m;
end $$;

-- A person names the call: it is followed like any other. A call that stands under another attempt of the service
-- is not this one's; two people who name one call at the same moment are told apart by an index.
-- $1 attempt, $2 call id, $3 deadline in seconds, $4 the person's reason
with moved as (
  update carillon.attempts a
  set state = 'placed', call_id = $2, placed_at = coalesce(a.placed_at, now()), reason = null, detail = null,
    next_poll_at = now(), deadline_at = now() + make_interval(secs => $3),
    named_at = case when a.call_id is null then l.base_url else a.named_at end
  from carillon.lanes l
  where a.id = $1 and l.id = a.lane_id and a.state = 'unknown' and (a.call_id is null or a.call_id = $2)
    and not exists (select from carillon.attempts o join carillon.lanes x on x.id = o.lane_id
      where o.call_id = $2 and o.id <> a.id and x.base_url = l.base_url)
  returning a.id, a.recipient_id, a.lane_id
), noted as (
  insert into carillon.events (recipient_id, attempt_id, kind, detail)
  select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called as ' || $2, $4::text) from moved m
), people as (
  update carillon.recipients r set state = 'calling', reason = null, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id, lane_id as "laneId" from moved

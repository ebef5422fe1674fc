-- Frees the people of attempts that made no call: nothing was spent. Anyone whom the contact rules hold because of such an
-- attempt is judged again. Returns those that were freed.
-- why, words: of the attempt; note: in the person's history; due: when the person is next due (null: as before)
create function carillon.free_attempts(
  ids uuid[], from_states text[], why text, words text, note text, due timestamptz) returns setof uuid language sql as $$
  with moved as (
    select e.id, e.recipient_id from carillon.end_attempts(ids, from_states, 'dropped', why, words) e
  ), noted as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'resolved', note from moved m
  ), people as (
    update carillon.recipients r
    set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
      next_at = coalesce(due, r.next_at), updated_at = now()
    from moved m where r.id = m.recipient_id
  ), others as (
    update carillon.recipients r set held = null, held_under = null, retry_at = null,
      next_at = greatest(now(), r.retry_at), updated_at = now()
    from moved m join carillon.recipients own on own.id = m.recipient_id
    where r.phone = own.phone and r.id <> own.id and r.held is not null
  )
  select m.id from moved m
$$;

-- Attempts of which a journal proves that they never left: their people wait again, and nothing was spent. What somebody
-- settled in the meantime, or what was opened again, stays as it is. It is a function because the request that was
-- counted at the opening is taken back before the attempt ends.
-- want: [{id, ticket, journal}]. Returns those that were freed.
create function carillon.free_unsent(want jsonb) returns setof uuid language plpgsql as $$
declare
  freed uuid[];
begin
  with held as (
    select a.id from jsonb_to_recordset(want) as w(id uuid, ticket uuid, journal uuid)
    join carillon.attempts a on a.id = w.id
    where (a.state = 'dialing' or (a.state = 'unknown' and a.reason = 'crashed')) and a.call_id is null
      and a.ticket = w.ticket and a.journal = w.journal
      -- Until then its dialer may still look whether it may leave.
      and a.expires_at < clock_timestamp()
    order by a.id for update of a
  ), moved as (
    update carillon.attempts a set requests = a.requests - 1 from held h where a.id = h.id returning a.id
  )
  select array_agg(m.id order by m.id) into freed from moved m;
  return query select carillon.free_attempts(
    freed, '{dialing,unknown}', 'unsent', 'it never left: the journal of its dialer has no note of it',
    'never left: the journal of the process that dialled proves it', null);
end $$;

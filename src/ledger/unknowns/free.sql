-- A person says that no call was made: the recipients may be tried again, and the attempts are not counted. Not while
-- the request may still be on its way, and never when the service gave a call id. Where it said that it made the call,
-- but not which, the person must insist.
-- $1 attempts, $2 the person's reason, $3 whether the person insists
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(
    array(select x.id from carillon.attempts x
      where x.id = any ($1::uuid[]) and x.state = 'unknown' and x.call_id is null
        and (x.reason is distinct from 'accepted' or $3::boolean)
        and carillon.free_from(x.expires_at) < clock_timestamp()
      order by x.id for update),
    '{unknown}', 'dropped', 'not-called', null) e
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'not called', $2::text) from moved m
), people as (
  update carillon.recipients r
  set state = case when c.state <> 'canceled'
        and not exists (select from carillon.barring(r.phone, r.campaign_id)) then 'waiting'
      else carillon.end_state(r.outcome) end,
    reason = null, next_at = now(), updated_at = now()
  from moved m join carillon.campaigns c on c.id = m.campaign_id
  where r.id = m.recipient_id
), others as (
  -- Whom the contact rules hold because of this attempt is judged again.
  update carillon.recipients r set held = null, held_under = null, retry_at = null,
    next_at = greatest(now(), r.retry_at), updated_at = now()
  from moved m join carillon.recipients own on own.id = m.recipient_id
  where r.phone = own.phone and r.id <> own.id and r.held is not null
)
select id from moved

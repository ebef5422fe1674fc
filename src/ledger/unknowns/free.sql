-- A person says that no call was made: the recipients may be tried again, and the attempts are not counted. Not while
-- the request may still be on its way, and never when the service gave a call id. Where it said that it made the call,
-- but not which, the person must insist.
-- $1 attempts, $2 the person's reason, $3 whether the person insists
select id from carillon.free_attempts(
  array(select x.id from carillon.attempts x
    where x.id = any ($1::uuid[]) and x.state = 'unknown' and x.call_id is null
      and (x.reason is distinct from 'accepted' or $3::boolean)
      and carillon.free_from(x.expires_at) < clock_timestamp()
    order by x.id for update),
  '{unknown}', 'not-called', null, concat_ws(': ', 'not called', $2::text), now()) as id

-- People who are done wait again, and at least one more attempt is allowed for each; see campaigns/retry.sql. Those who
-- wait for another attempt have it now, where that is wanted: not while a contact rule holds them. Never those who are
-- suppressed or were removed from the list. $1 people, $2 whether those who wait are wanted too
update carillon.recipients r
set state = 'waiting', reason = null, held = null, held_under = null, retry_at = null, next_at = now(),
  granted = case when r.state = 'done' then greatest(r.granted, r.attempts + 1) else r.granted end, updated_at = now()
where r.id = any ($1::bigint[]) and r.outcome is not null and r.erased_at is null
  and ((r.state = 'done' and r.reason is distinct from 'removed')
    or ($2::boolean and r.state = 'waiting' and r.held is null and r.next_at > now()))
  and not exists (select from carillon.barring(r.phone, r.campaign_id))
returning r.id, r.campaign_id as "campaignId"

-- People who are done wait again, and at least one more attempt is allowed for each; see campaigns/retry.sql. Never those
-- who are suppressed or were removed from the list. $1 people
update carillon.recipients r
set state = 'waiting', reason = null, held = null, held_under = null, retry_at = null, next_at = now(),
  granted = greatest(r.granted, r.attempts + 1), updated_at = now()
where r.id = any ($1::bigint[]) and r.state = 'done' and r.outcome is not null and r.reason is distinct from 'removed'
  and r.erased_at is null
  and not exists (select from carillon.barring(r.phone, r.campaign_id))
returning r.id, r.campaign_id as "campaignId"

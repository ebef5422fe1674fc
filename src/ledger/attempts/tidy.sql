-- Removes the turns of campaigns that take no more, late records that are a week overdue as their key is gone, counts of
-- calls' lengths that are a month old, what came of calls that were hung up a day ago, and phones that are held for nothing: by an attempt that is not live, or by one
-- that was unknown for as long as it may hold.
with ended as (
  delete from carillon.shares s using carillon.campaigns c
  where c.id = s.campaign_id and c.state in ('done', 'canceled') and s.seen_at < now() - interval '1 hour'
), left_over as (
  delete from carillon.refreshes r where r.due_at < now() - interval '7 days'
), old_hang_ups as (
  delete from carillon.hang_ups h where h.outcome is not null and h.asked_at < now() - interval '1 day'
), old_lengths as (
  delete from carillon.call_lengths l where l.day < current_date - 30
)
delete from carillon.live_phones p
where not exists (
  select from carillon.attempts a where a.id = p.attempt_id and (a.state in ('dialing', 'placed')
    or (a.state = 'unknown' and a.holds_until > clock_timestamp())))

-- What phones were called, in order, for the audit: some phones at a time, by their order; a phone that was never called has
-- one row without an attempt. An attempt that may have rung counts; it kept its phone until `freeAt` (null: it still does).
-- One that was unknown for longer lost it then, even if somebody names its call later.
-- Assumed: nobody knows whether or when it was made, as history was lost.
-- $1 after this phone, $2 how many phones
select p.phone, x.attempt, x.at, x."endedAt", x."freeAt", x.answered, x.policy, x.place, x.assumed
from (
  select distinct r.phone from carillon.recipients r where r.phone > $1 and not starts_with(r.phone, 'erased:') order by r.phone limit $2
) p
left join lateral (
  select e.id as attempt, e.dialing_at as at, e.ended_at as "endedAt", coalesce(e.held_until, e.ended_at) as "freeAt",
    coalesce(e.outcome = 'answered', false) as answered, case when not c.ignores_policy then e.policy_version end as policy,
    r.place, false as assumed
  from carillon.recipients r
  join carillon.ended_attempts e on e.recipient_id = r.id
  join carillon.campaigns c on c.id = r.campaign_id
  where r.phone = p.phone and carillon.may_have_rung(e.state, e.reason)
  union all
  select a.id, a.dialing_at, null, case when a.holds_until < clock_timestamp() or a.state = 'unknown'
      then carillon.lost_phone_at(a.recipient_id, a.id, a.state, a.holds_until) end, false,
    case when not c.ignores_policy then a.policy_version end, r.place, coalesce(a.reason = 'lost-history', false)
  from carillon.recipients r
  join carillon.attempts a on a.recipient_id = r.id
  join carillon.campaigns c on c.id = r.campaign_id
  where r.phone = p.phone and a.state in ('dialing', 'placed', 'unknown')
  offset 0
) x on true
order by p.phone, x.at

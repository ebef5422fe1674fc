-- name: set
-- Makes a version of the contact rules: see carillon.set_policy.
-- @binds: whether it has any rule; @caps: [{calls, seconds}]; @conversation: conversation, in seconds
select version, made, refused from carillon.set_policy(@digest, @source, @body::jsonb, @binds, @caps::jsonb, @gap,
  @conversation)

-- name: versions
-- Every version that the rules ever had, oldest first.
select p.version, p.body from carillon.policies p order by p.version

-- name: in_force
-- The contact rules in force, without their text, and the ledger's time; one row, even if there never were any.
select p.version, p.digest, p.source, p.made_at as "madeAt", clock_timestamp() as at
from (select 1) one left join lateral (
  select * from carillon.policies x order by x.version desc limit 1
) p on true

-- name: body
-- The text of one version.
select p.body from carillon.policies p where p.version = @version

-- name: before
-- The version that a version of the contact rules replaced.
select p.version from carillon.policies p where p.version < @version order by p.version desc limit 1

-- name: judge
-- Judges a phone at a moment by contact rules: the rule that holds it longest, and until when; no row when none does.
-- @at: moment (null: now); @caps: [{calls, seconds}]; @conversation: conversation, in seconds
select h.rule, h.until
from carillon.judge_phones(
  array[@phone::text], null, coalesce(@at::timestamptz, clock_timestamp()), @caps::jsonb, @gap, @conversation) h

-- name: hold_ahead
-- People who wait for another attempt, and whom a contact rule will hold longer: they now wait for the rule, so that
-- the reason and the time shown are the true ones. They are judged again at that time.
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), due as materialized (
  select x.id, x.phone from unnest(@people::bigint[]) as want(id) cross join lateral (
    select r.id, r.phone from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
    where r.id = want.id and r.state = 'waiting' and r.held is null and r.next_at > now() and not c.ignores_policy
    offset 0
  ) x
), asked as (
  select array_agg(d.id order by d.id) as ids, array_agg(d.phone order by d.id) as phones from due d
), held as materialized (
  select a.ids[j.nth] as id, p.version, j.rule, j.until
  from policy p cross join asked a cross join lateral carillon.judge_phones(
    a.phones, null, clock_timestamp(), p.caps, p.gap, p.conversation) j
)
update carillon.recipients r
set held = h.rule, held_under = h.version, retry_at = r.next_at, next_at = h.until, updated_at = now()
from held h where r.id = h.id and r.state = 'waiting' and r.next_at < h.until
returning r.id

-- name: free_held
-- Rows that an older version of the contact rules holds are judged again, some at a time. A row that also waits for
-- another attempt waits for its time. A row that no longer waits only loses the mark.
with held as materialized (
  select r.id from carillon.recipients r
  where r.held_under < (select max(p.version) from carillon.policies p)
  order by r.held_under limit @most for update skip locked
), freed as (
  update carillon.recipients r
  set held = null, held_under = null, retry_at = null, updated_at = now(),
    next_at = case when r.state = 'waiting' then greatest(now(), r.retry_at) else r.next_at end
  from held h where r.id = h.id
)
select count(*)::integer as freed from held

-- name: phone_calls
-- The phones that were called, in order, for the audit, some at a time; a phone that was never called has one row
-- without an attempt. An attempt that may have rung counts; it kept its phone until `freeAt` (null: it still does). An
-- attempt that was unknown for longer lost it then, even if somebody names its call later. Assumed: nobody knows
-- whether or when it was made, because history was lost. @after: after this phone; @most: how many
select p.phone, x.attempt, x.at, x."endedAt", x."freeAt", x.answered, x.policy, x.place, x.assumed
from (
  select y.phone from (
    (select distinct r.phone from carillon.recipients r
      where r.phone > @after and not starts_with(r.phone, 'erased:') order by r.phone limit @most)
    union
    (select distinct o.phone from carillon.phones o where o.phone > @after order by o.phone limit @most)
  ) y order by y.phone limit @most
) p
left join lateral (
  select e.id as attempt, e.dialing_at as at, e.ended_at as "endedAt", coalesce(e.phone_until, e.ended_at) as "freeAt",
    coalesce(e.outcome = 'answered', false) as answered, case when not c.ignores_policy then e.policy_version end as policy,
    carillon.place_of(r, e.phone) as place, false as assumed
  from carillon.people_with(p.phone) w(id)
  join carillon.recipients r on r.id = w.id
  join carillon.ended_attempts e on e.recipient_id = r.id
  join carillon.campaigns c on c.id = r.campaign_id
  -- Of several numbers the one that was called.
  where (not r.several or e.phone = p.phone) and carillon.may_have_rung(e.state, e.reason)
  union all
  select a.id, a.dialing_at, null, case when a.phone_until < clock_timestamp() or a.state = 'unknown'
      then carillon.lost_phone_at(a.recipient_id, a.id, a.state, a.phone_until) end, false,
    case when not c.ignores_policy then a.policy_version end, carillon.place_of(r, a.phone), coalesce(a.reason = 'lost-history', false)
  from carillon.people_with(p.phone) w(id)
  join carillon.recipients r on r.id = w.id
  join carillon.attempts a on a.recipient_id = r.id
  join carillon.campaigns c on c.id = r.campaign_id
  where (not r.several or a.phone = p.phone) and a.state in ('dialing', 'placed', 'unknown')
  offset 0
) x on true
order by p.phone, x.at

-- name: prune
-- Forgets calls that are older than every rule of the policy in force, and than a month, so that a later policy finds
-- some history.
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), oldest as (
  select now() - make_interval(secs => greatest(2678400, p.gap, p.conversation,
    (select max(k.seconds) from jsonb_to_recordset(p.caps) as k(seconds double precision)))) as at
  from (select 1) one left join policy p on true
), gone as (
  delete from carillon.phone_calls c
  where c.ctid = any (array(
    select x.ctid from carillon.phone_calls x where x.ended_at < (select o.at from oldest o) limit @most))
  returning c.phone
)
select count(*)::integer as gone from gone

-- name: skip
-- A planned attempt that must no longer be dialled.
with moved as (
  select e.id, e.recipient_id from carillon.end_attempts(array[@attemptId::uuid], '{planned,parked}', 'dropped', @why,
    null) e
), people as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = @why, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

-- name: release
-- Attempts that were planned and never dialled wait again when a run ends, unless the campaign was canceled meanwhile.
select count(*)::integer as released from carillon.take_back(
  array(select a.id from carillon.attempts a where a.campaign_id = @campaignId
    and a.state = 'planned'), '{planned}', @why, null, null)

-- name: leaving
-- How many creates may still leave, because a dialer that wakes two seconds after its commit sends nothing, and for how
-- long at most. @campaigns (null: any); @phones (null: any)
select count(*)::integer as leaving,
  coalesce(extract(epoch from max(greatest(a.dialing_at, a.repeated_at)) + interval '2 s' - clock_timestamp()) * 1000, 0)::double precision as "withinMs"
from carillon.attempts a
where a.state in ('dialing', 'unknown')
  and case when a.state = 'dialing' then a.dialing_at else a.repeated_at end > clock_timestamp() - interval '2 s'
  and (@campaigns::uuid[] is null or a.campaign_id = any (@campaigns)) and (@phones::text[] is null
    or a.phone = any (@phones))

-- name: on_calls
-- How many attempts are being dialled or on a call, over all campaigns and services.
select count(*)::integer as calling from carillon.attempts a where a.state in ('dialing', 'placed')

-- name: to_stop
-- What stopping everything affects, over all services: the running campaigns that call a list, the people whom they and
-- single calls have yet to call, and the people who are being dialled or on a call. People come from the tallies:
-- nobody's row is read.
select r.campaigns,
  (select coalesce(sum(n.n), 0) from carillon.counts n
    where n.campaign_id = any (r.ids) and n.name in ('waiting', 'parked'))::integer + a.people as people,
  a.calling
from (select (count(*) filter (where c.kind = 'list'))::integer as campaigns, coalesce(array_agg(c.id), '{}') as ids
  from carillon.campaigns c where c.state = 'running') r
cross join lateral (select
    (count(*) filter (where l.state in ('planned', 'parked') and l.campaign_id = any (r.ids)))::integer as people,
    (count(*) filter (where l.state in ('dialing', 'placed')))::integer as calling
  from carillon.attempts l) a

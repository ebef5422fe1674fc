-- name: adrift
-- Attempts of a scope that should have a job: planned ones on a lane that dials them, and placed ones whose next poll
-- is overdue. @campaignId: the run's campaign (null: background); @overdueSeconds: by how much
select a.id, a.lane_id as "laneId", a.state, a.next_poll_at as "nextPollAt"
from carillon.attempts a
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where c.base_url = @baseUrl and (
  (a.state = 'planned' and c.state = 'running' and (l.state = 'open' or l.probe_attempt = a.id)
    and ((@campaignId::uuid is null and c.driver = 'background') or c.id = @campaignId))
  or (a.state = 'placed' and a.next_poll_at < now() - make_interval(secs => @overdueSeconds) and (c.id = @campaignId
    or (@campaignId::uuid is null
    and (c.driver = 'background' or not carillon.run_lives(c.run_seen_at))))))
order by a.planned_at
limit 20000

-- name: rehome
-- Plans of a run's campaign on lanes whose keys the run does not have: nobody would ever dial them.
-- @laneIds: the run's lanes
select count(*)::integer as released from carillon.take_back(
  array(select a.id from carillon.attempts a
    where a.campaign_id = @campaignId and a.state in ('planned', 'parked') and a.lane_id <> all (@laneIds::integer[])),
  '{planned,parked}', 'no key', null, null)

-- name: crash
-- A dialer died between its commit and its answer: nobody knows whether the request left. Judged only by the attempt's
-- own expiry. @only: attempts (null: all)
with moved as (
  update carillon.attempts a
  set state = 'unknown', reason = 'crashed', detail = 'the process that dialled ended before an answer was kept'
  from carillon.campaigns c
  where c.id = a.campaign_id and c.base_url = @baseUrl and a.state = 'dialing'
    and a.expires_at < clock_timestamp() and (@only::uuid[] is null or a.id = any (@only::uuid[]))
  returning a.id
)
select id from moved

-- name: doubted
-- Attempts past their expiry whose dialer died and noted its creates in a journal: they may never have left.
select a.id, a.ticket, a.journal
from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
where c.base_url = @baseUrl and a.journal is not null and a.ticket is not null and a.call_id is null
  and (a.state = 'dialing' or (a.state = 'unknown' and a.reason = 'crashed')) and a.expires_at < clock_timestamp()
order by a.dialing_at limit 20000

-- name: journals
-- Journals that may still prove something about an attempt.
select distinct a.journal from carillon.attempts a
where a.journal = any (@journals::uuid[]) and a.state in ('dialing', 'unknown')

-- name: free_unsent
-- Frees what a journal proves was never sent: see carillon.free_unsent. @attempts: [{id, ticket, journal}]
select id from carillon.free_unsent(@attempts::jsonb) as id

-- name: twins
-- One call of the service under several attempts, which different processes placed: it belongs to the first one, even
-- if that was given up or ended since, and nobody knows who was called for the others. Without the last part, an
-- attempt whose owner ended would be followed to its deadline by the record of another person's call.
-- @only: attempts (null: all)
with twins as (
  select a.id, a.call_id, row_number() over t as place, first_value(a.id) over t as owner
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  where l.base_url = @baseUrl and a.call_id in (
    select x.call_id from carillon.attempts x where x.call_id is not null group by 1 having count(*) > 1)
  window t as (partition by a.call_id order by a.placed_at, a.id)
), others as (
  select t.id, t.call_id, t.owner from twins t where t.place > 1
  union
  -- Looked up by key, because there are many ended attempts.
  select a.id, a.call_id, e.id
  from carillon.attempts a
  join carillon.lanes l on l.id = a.lane_id
  cross join lateral (
    select x.id from carillon.ended_attempts x join carillon.lanes o on o.id = x.lane_id
    where x.call_id = a.call_id and o.base_url = l.base_url limit 1
  ) e
  where l.base_url = @baseUrl and a.state = 'placed'
), told as (
  select distinct on (o.id) o.id, o.call_id, o.owner from others o order by o.id, o.owner
)
update carillon.attempts a set state = 'unknown', reason = 'mismatch', call_id = null, next_poll_at = null,
  detail = format('the service answered with the call %s, which is the attempt %s''s', t.call_id, t.owner)
from told t where a.id = t.id and a.state = 'placed' and a.call_id = t.call_id
  and (@only::uuid[] is null or a.id = any (@only::uuid[]))
returning a.id

-- name: redial
-- Frees unknown attempts of campaigns whose owner wants them redialled: once for each person, and not while the first
-- request may still be on its way, or be sent again with its key. An attempt whose call the service did take stays,
-- because that call may be in progress. The attempt stays counted, and one more follows even when no more are allowed.
-- @campaignId: the run's campaign (null: background); @only: attempts (null: all)
with chosen as (
  select a.id from carillon.attempts a
  join carillon.campaigns c on c.id = a.campaign_id
  join carillon.recipients r on r.id = a.recipient_id
  where a.state = 'unknown' and carillon.may_redial(a.reason) and a.call_id is null and carillon.free_from(a.expires_at) < clock_timestamp()
    and (a.repeat_until is null or a.repeat_until < clock_timestamp())
    and c.base_url = @baseUrl and c.state = 'running' and c.terms ->> 'onUnknown' = 'redial'
    and (c.id = @campaignId or (@campaignId::uuid is null and c.driver = 'background')) and (@only::uuid[] is null
      or a.id = any (@only::uuid[]))
    and r.redials = 0 and not exists (select from carillon.barring(r.phone, r.campaign_id))
  order by a.id limit 1000 for update of a skip locked
), moved as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select x.id from chosen x), '{unknown}', 'dropped', 'redialed', null) e
)
update carillon.recipients r
set state = 'waiting', redials = r.redials + 1, attempts = r.attempts + 1, reason = null, next_at = now(),
  updated_at = now()
from moved m where r.id = m.recipient_id
returning m.id

-- name: in_state
-- Live attempts of a service in a state.
select a.id from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
where l.base_url = @baseUrl and a.state = @state limit 20000

-- name: tidy
-- Removes the turns of finished campaigns, late records that are a week overdue because their key is gone, age counts
-- that are a month old, results of hang-ups that are a day old, and phones that are kept for nothing: by an attempt
-- that is not live, or by one that was unknown for as long as it may keep its phone.
with ended as (
  delete from carillon.shares s using carillon.campaigns c
  where c.id = s.campaign_id and c.state in ('done', 'canceled') and s.seen_at < now() - interval '1 hour'
), left_over as (
  delete from carillon.refreshes r where r.due_at < now() - interval '7 days'
), old_hang_ups as (
  delete from carillon.hang_ups h where h.outcome is not null and h.asked_at < now() - interval '1 day'
), old_age_counts as (
  delete from carillon.age_counts l where l.day < current_date - 30
)
delete from carillon.live_phones p
where not exists (
  select from carillon.attempts a where a.id = p.attempt_id and (a.state in ('dialing', 'placed')
    or (a.state = 'unknown' and a.phone_until > clock_timestamp())))

-- name: join
-- The lanes of a service, created when they are first seen. A lane that another process is creating is returned too: an
-- insert that did nothing would not see it. @names: key names; @callCost: what a call costs at most (null: not said)
with lane as (
  insert into carillon.lanes (base_url, name, call_cost) select @baseUrl, n, @callCost from unnest(@names::text[]) n
    order by n
  on conflict (base_url, name) do update set call_cost = excluded.call_cost
  returning *
)
select id, name, state, reason, since, losses, probe_at as "probeAt", probe_attempt as "probeAttempt"
from lane order by name

-- name: list
-- Every lane of a service with its attempts in progress.
select l.id, l.name, l.state, l.reason, l.since, l.losses, l.probe_at as "probeAt", l.probe_attempt as "probeAttempt",
  l.refused_since as "refusedSince", l.spare_since as "spareSince", l.max_calls as "maxCalls",
  l.credit_spent as "creditSpent", l.credit_lasted as "creditLasted",
  count(a.id) filter (where a.state = 'planned')::integer as planned,
  count(a.id) filter (where a.state = 'parked')::integer as parked,
  count(a.id) filter (where a.state in ('dialing', 'placed'))::integer as calling
from carillon.lanes l
left join carillon.attempts a on a.lane_id = l.id
where l.base_url = @baseUrl
group by l.id order by l.name

-- name: limit
-- How many calls at once the lane's planner allows, for reports of why rows wait. @maxCalls: calls (null: no cap)
update carillon.lanes set max_calls = @maxCalls where id = @laneId and max_calls is distinct from @maxCalls

-- name: loads
-- How full lanes and campaigns are, so that the planner keeps a few seconds of work in the queue. Plans that a resting
-- campaign left behind use no headroom. fresh, trying: what tries an order that is not proved; an attempt that a dead
-- run was dialling does not, nor does one that takes too long, as its row may be what cannot be written.
-- @runDialer: the dialer of a run (null: background)
select n."laneId", n."campaignId", c.driver, n.fresh, n.dialing, n.trying, n.placed,
  case when c.state = 'running' and (c.driver = 'background' or carillon.run_lives(c.run_seen_at))
    then n.planned else 0 end as planned
from (
  select a.lane_id as "laneId", a.campaign_id as "campaignId",
    count(*) filter (where a.state = 'planned')::integer as planned,
    count(*) filter (where a.state = 'planned' and a.planned_at > now() - interval '1 minute')::integer as fresh,
    count(*) filter (where a.state = 'dialing')::integer as dialing,
    count(*) filter (where a.state = 'dialing' and a.expires_at > now()
      and a.dialer = coalesce(@runDialer, a.dialer))::integer as trying,
    count(*) filter (where a.state = 'placed')::integer as placed
  from carillon.attempts a
  where a.state in ('planned', 'dialing', 'placed')
  group by 1, 2
) n
join carillon.lanes l on l.id = n."laneId"
join carillon.campaigns c on c.id = n."campaignId"
where l.base_url = @baseUrl

-- name: idle
-- Whether background workers have nothing to do, now or soon: nobody waits in a campaign that dials, nobody is parked
-- or called, no list is imported, no act is under way, no record is due.
select not (
  exists (select from carillon.attempts a where a.state in ('planned', 'dialing', 'placed', 'parked'))
  or exists (select from carillon.campaigns c where c.base_url = @baseUrl and c.state = 'running'
    and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting'))
  or exists (select from carillon.works w where w.state in ('waiting', 'running'))
  or exists (select from carillon.lanes l where l.base_url = @baseUrl
    and exists (select from carillon.refreshes r where r.lane_id = l.id and r.due_at < now() + interval '1 minute'))
) as idle

-- name: planned
-- The attempts that a scope has planned on a lane. @campaignId: the run's campaign (null: background)
select a.id from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
where a.lane_id = @laneId and a.state = 'planned' and ((@campaignId::uuid is null and c.driver = 'background')
  or c.id = @campaignId)

-- name: in_flight
-- How many calls a lane has in progress, for a refusal that may mean too many at once.
select count(*)::integer as calls from carillon.attempts where lane_id = @laneId and state in ('dialing', 'placed')

-- name: plannable
-- Campaigns of a scope that may dial now. allowed: how many more its money and its run's limit let pass (null: any
-- number). @campaignId: the run's campaign (null: background); @mostDue: how many due rows are worth counting: in
-- order, so that the index serves and people who were called are not scanned; @only: campaigns (null: all)
select c.id, c.name, c.kind, c.times, c.max_calls as "maxCalls", c.proved, d.due,
  carillon.calls_allowed(c.id, c.base_url, c.max_cost, @runId, @mostDue::integer) as allowed,
  (select coalesce(array_agg(z.place), '{}') from carillon.campaign_places z where z.campaign_id = c.id) as places
from carillon.campaigns c, lateral (
  select count(*)::integer as due from (
    select from carillon.recipients r
    where r.campaign_id = c.id and r.state = 'waiting' and r.next_at <= now()
    order by r.next_at, r.row limit @mostDue) x
) d
where c.base_url = @baseUrl and c.state = 'running'
  and ((@campaignId::uuid is null and c.driver = 'background') or (c.id = @campaignId and c.run_id = @runId))
  and (@only::uuid[] is null or c.id = any (@only::uuid[])) and d.due > 0
order by c.created_at

-- name: turns
-- Why due rows of a campaign wait: its budget or its service's, or what all keys that dial it lack. A key dials a
-- campaign that its planner handled a moment ago; a key that rests is not planned on. until: when the budget's day or
-- month ends, or a number of the campaign's pool may call again, if that is a time.
select c.id, case when b.kind is not null then b.until when k.open and n.waits then n.until end as until, case
    when b.kind is not null then 'budget'
    when k.open and n.waits then 'number'
    when k.open and (c.calling >= c.max_calls or k.full) then 'calls'
    when k.open then 'rate'
    when k.refused then 'refused'
    when k.unpaid then 'no-credit'
    else 'rate'
  end as reason
from (
  select x.id, x.base_url, x.max_calls,
    case when x.max_calls is not null then (select count(*) from carillon.attempts a
      where a.campaign_id = x.id and a.state in ('planned', 'dialing', 'placed')) end as calling
  from carillon.campaigns x where x.id = any (@campaigns::uuid[])
) c
cross join lateral (
  select
    coalesce(bool_or(l.state = 'open' and l.dials), false) as open,
    coalesce(array_agg(l.id) filter (where l.state = 'open' and l.dials), '{}') as lanes,
    -- Whether every open key is full.
    coalesce(bool_and(l.calls >= l.max_calls) filter (where l.state = 'open' and l.dials), false) as full,
    coalesce(bool_or(l.state in ('failing', 'denied')), false) as refused,
    coalesce(bool_or(l.state = 'out_of_credit'), false) as unpaid
  from (
    select y.id, y.state, y.max_calls,
      exists (select from carillon.shares s where s.lane_id = y.id and s.campaign_id = c.id
        and s.seen_at > now() - interval '15 seconds') as dials,
      case when y.max_calls is not null then (select count(*) from carillon.attempts a
        where a.lane_id = y.id and a.state in ('planned', 'dialing', 'placed')) end as calls
    from carillon.lanes y where y.base_url = c.base_url
  ) l
) k
cross join lateral carillon.numbers_wait(c.id, k.lanes) n
left join lateral carillon.budget_wait(c.id) b on true

-- name: move
-- Plans on a lane that creates no calls move to an open one; a probe stays. Where the other key's account does not have
-- the caller number, the person waits to be planned again. Returns those of a scope that moved.
-- @campaignId: the run's campaign (null: background)
with strays as (
  select e.recipient_id from carillon.end_attempts(array(
    select a.id from carillon.attempts a join carillon.lanes l on l.id = @from
    where a.lane_id = @from and a.state = 'planned' and a.id is distinct from l.probe_attempt
      and a.caller is not null and not carillon.may_call_from(a.caller, @to)),
    '{planned}', 'dropped', 'its caller number is of another key', null) e
), waiting as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from strays s where r.id = s.recipient_id
), moved as (
  update carillon.attempts a set lane_id = @to
  from carillon.lanes l
  where l.id = @from and a.lane_id = @from and a.state = 'planned' and a.id is distinct from l.probe_attempt
    and (a.caller is null or carillon.may_call_from(a.caller, @to))
  returning a.id, a.campaign_id, a.planned_at, a.recipient_id
)
select m.id from moved m
join carillon.recipients r on r.id = m.recipient_id join carillon.campaigns c on c.id = m.campaign_id
where (@campaignId::uuid is null and c.driver = 'background') or c.id = @campaignId
order by m.planned_at, r.row, m.id

-- name: fail
-- A create on the lane was lost, or got the answer of a failing service. When there are @most more of these than good
-- answers, the lane is failing: it creates no calls except its probe. Creates that left before the lane was opened
-- report an outage that is over. Those in flight when it closed say nothing new: only a probe moves the clock. An
-- outage soon after another continues with its gaps. @words: what came back
with known as (
  -- Each opening counts once, however often it is reported.
  update carillon.attempts a set counted = a.opens
  where a.id = @attemptId and a.counted < a.opens
  returning a.id, a.dialing_at
), lane as (
  select l.id, l.state = 'open' and l.losses + 1 >= @most as trips, l.probe_attempt is not distinct
    from @attemptId as probed,
    case when l.state = 'open' and l.since < now() - interval '2 minutes' then 5000 else l.probe_gap_ms end as gap
  from carillon.lanes l
  where l.id = @laneId and l.state <> 'denied'
    and exists (select from known k where k.dialing_at >= l.since)
  for update of l
)
update carillon.lanes l set losses = l.losses + 1,
  state = case when x.trips then 'failing' else l.state end,
  since = case when x.trips then now() else l.since end,
  reason = case when x.trips or x.probed then @words else l.reason end,
  probe_at = case when x.trips or x.probed then now() + make_interval(secs => x.gap / 1000.0) else l.probe_at end,
  probe_gap_ms = case when x.trips or x.probed then least(60000, x.gap * 2) else l.probe_gap_ms end,
  probe_attempt = case when x.trips or x.probed then null else l.probe_attempt end,
  refused_since = case when x.trips then null else l.refused_since end
from lane x where l.id = x.id
returning l.state, x.trips

-- name: well
-- A create got the answer of a healthy service, which cancels out a lost one. A service that does only half of its work
-- is found out this way too.
update carillon.lanes set losses = losses - 1 where id = @laneId and losses > 0

-- name: refuse
-- A create on the lane was refused as too many. Keeps since when every create is refused, and since when fewer calls
-- are in progress than at the first refusal, which a cap on calls at once does not explain. The probe of a lane that
-- stopped for this moves the clock. @words: the service's words
with lane as (
  select l.id, l.state = 'failing' and l.probe_attempt is not distinct from @attemptId as probed,
    coalesce(l.refused_since, now()) as since, coalesce(l.refused_calls, c.n) as calls,
    case when c.n = 0 or c.n < l.refused_calls then coalesce(l.spare_since, now()) end as spare
  from carillon.lanes l
  cross join (
    select count(*)::integer as n from carillon.attempts a where a.lane_id = @laneId and a.state = 'placed'
  ) c
  -- A refusal neither opens nor judges a lane that fails in another way.
  where l.id = @laneId and (l.state = 'open' or (l.state = 'failing' and l.refused_since is not null))
  for update of l
)
update carillon.lanes l set refused_since = x.since, refused_calls = x.calls, spare_since = x.spare,
  refused_words = @words,
  reason = case when l.state = 'failing' then 'every call is refused: ' || @words else l.reason end,
  probe_at = case when x.probed then now() + make_interval(secs => l.probe_gap_ms / 1000.0) else l.probe_at end,
  probe_gap_ms = case when x.probed then least(60000, l.probe_gap_ms * 2) else l.probe_gap_ms end,
  probe_attempt = case when x.probed then null else l.probe_attempt end
from lane x where l.id = x.id
returning l.state

-- name: stop_refused
-- The lane stops, except for a probe, when people wait for it, every create of the last @seconds seconds was refused,
-- and fewer calls were in progress for @spareSeconds seconds, as the service may still count some that have just ended.
with lane as (
  select l.id, case when l.since < now() - interval '2 minutes' then 5000 else l.probe_gap_ms end as gap
  from carillon.lanes l
  where l.id = @laneId and l.state = 'open' and l.refused_since <= now() - make_interval(secs => @seconds)
    and l.spare_since <= now() - make_interval(secs => @spareSeconds)
    and exists (select from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
      where a.lane_id = l.id and a.state = 'planned' and c.state = 'running') for update of l
)
update carillon.lanes l set state = 'failing', since = now(), losses = 0,
  reason = 'every call is refused: ' || l.refused_words, probe_at = now() + make_interval(secs => x.gap / 1000.0),
  probe_gap_ms = least(60000, x.gap * 2), probe_attempt = null
from lane x where l.id = x.id
returning l.id

-- name: deny
-- 401 or 403: the key is closed until a person says otherwise. @words: the service's words
update carillon.lanes set state = 'denied', reason = @words, since = now(), probe_at = null, probe_attempt = null,
  losses = 0
where id = @laneId and state <> 'denied'
returning id

-- name: park_crossed
-- Plans that crossed with the 402 of their lane, and creates that came back unsent: their jobs are dropped, so they are
-- parked with the rest; a probe stays planned.
with lane as (
  -- Its opening, which plans what is parked, waits for this lock.
  select l.id, l.reason, l.probe_attempt from carillon.lanes l
  where l.id = @laneId and l.state = 'out_of_credit' for no key update
)
update carillon.attempts a set state = 'parked', detail = l.reason
from lane l where a.lane_id = l.id and a.state = 'planned' and a.id is distinct from l.probe_attempt
returning a.id

-- name: open
-- The lane creates calls again: parked attempts are planned in their old places, and the deadlines of its calls move by
-- the time without polls. Returns what a scope has to dial, in order; other processes make the jobs of the others.
-- @campaignId: the run's campaign (null: background)
with before as (
  select id, state, since from carillon.lanes where id = @laneId and state <> 'open' for update
), lane as (
  update carillon.lanes l set state = 'open', reason = null, since = now(), losses = 0,
    probe_at = null, probe_attempt = null, refused_since = null, refused_calls = null, spare_since = null,
    refused_words = null,
    -- An outage that comes back at once is probed less and less often.
    probe_gap_ms = case when b.state = 'failing' then l.probe_gap_ms else 5000 end,
    credit_lasted = case when b.state = 'out_of_credit' and l.credit_spent > 0 then l.credit_spent else l.credit_lasted end,
    credit_spent = case when b.state = 'out_of_credit' then 0 else l.credit_spent end
  from before b where l.id = b.id
), calls as (
  update carillon.attempts a set deadline_at = a.deadline_at + (now() - b.since), next_poll_at = now()
  from before b where b.state = 'denied' and a.lane_id = b.id and a.state = 'placed'
), moved as (
  update carillon.attempts a set state = 'planned', detail = null
  from before b, carillon.campaigns c
  where a.lane_id = b.id and a.state = 'parked' and c.id = a.campaign_id and c.state <> 'canceled'
  returning a.id, a.recipient_id, a.campaign_id, a.planned_at
)
select x.id from (
  select id, recipient_id, campaign_id, planned_at from moved
  union all
  select a.id, a.recipient_id, a.campaign_id, a.planned_at from carillon.attempts a join before b on b.id = a.lane_id
  where a.state = 'planned'
) x join carillon.recipients r on r.id = x.recipient_id join carillon.campaigns c on c.id = x.campaign_id
where (@campaignId::uuid is null and c.driver = 'background') or c.id = @campaignId
order by x.planned_at, r.row, x.id

-- name: unpark
-- A 402 may cross with the opening of its lane: its attempt is then parked on an open lane, which no probe will open.
-- @only: attempts (null: all)
update carillon.attempts a set state = 'planned', detail = null
from carillon.lanes l, carillon.campaigns c
where l.id = a.lane_id and c.id = a.campaign_id and (@only::uuid[] is null or a.id = any (@only::uuid[]))
  and l.base_url = @baseUrl and l.state = 'open' and a.state = 'parked' and c.state <> 'canceled'
returning a.id

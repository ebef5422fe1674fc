-- name: create
-- Creates nothing if the name exists.
insert into carillon.campaigns (name, kind, base_url, state, driver, terms, most_attempts)
values (@name, @kind, @baseUrl, @state, @driver, @order, (@order::jsonb ->> 'maxAttempts')::integer)
on conflict do nothing
returning id

-- name: find
-- The campaign that now has this name, or this id.
select c.id, c.name, c.kind, c.base_url as "baseUrl", c.state, c.reason, c.driver, c.run_id as "runId",
  carillon.run_holds(c.id, c.run_seen_at) as "runLives", c.terms, c.columns, c.created_at as "createdAt",
  c.since, c.revision, c.faults, c.renewing
from carillon.campaigns c
where ((c.name = @nameOrId and c.superseded_at is null) or c.id::text = @nameOrId) and c.deleted_at is null
order by (c.id::text = @nameOrId) desc limit 1

-- name: page
-- The campaigns, newest first, each with its counts; superseded ones, which gave up their name, are left out.
-- @after: after this campaign (null: from the first); @states: only in these states (null: any); @name: only this name
-- (null: any); @kinds: only of these kinds (null: any)
select c.id, c.name, c.kind, c.state, c.reason, c.driver, c.base_url as "baseUrl",
  carillon.run_holds(c.id, c.run_seen_at) as "runLives", c.created_at as "createdAt", c.since, c.terms, c.revision, c.faults,
  s.tally, s.live, s.requests, s.polls, s.currency
from (
  select * from carillon.campaigns p
  where p.superseded_at is null
    and (@states::text[] is null or p.state = any (@states))
    and (@name::text is null or p.name = @name)
    and (@kinds::text[] is null or p.kind = any (@kinds))
    and (@after::uuid is null or (p.created_at, p.id) < (select l.created_at, l.id from carillon.campaigns l
      where l.id = @after))
  order by p.created_at desc, p.id desc limit @most
) c
join carillon.standings s on s.id = c.id
order by c.created_at desc, c.id desc

-- name: states
-- How many campaigns are in each state.
select state, count(*)::integer as count from carillon.campaigns
where base_url = @baseUrl and superseded_at is null and kind = 'list' group by state order by state

-- name: standing
-- The state and counts of a campaign, in one snapshot.
select c.id, c.name as campaign, c.state, c.reason, c.faults, c.driver, s.tally, s.live, s.requests, s.polls, s.currency,
  case when c.terms ->> 'onUnknown' = 'redial' and c.state = 'running' then (select count(*)::integer
    from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.state = 'unknown' and carillon.may_redial(a.reason) and a.call_id is null
      and r.redials = 0
      and not exists (select from carillon.barring(r.phone, r.campaign_id))) else 0 end as redials,
  case when s.live ? 'unknown' then (select count(*)::integer from carillon.attempts a
    where a.campaign_id = c.id and a.state = 'unknown' and carillon.took_call(a.call_id, a.reason)) else 0 end as "unknownPlaced"
from carillon.campaigns c join carillon.standings s on s.id = c.id
where c.id = @campaignId

-- name: rivals
-- The total weight of the other campaigns that the keys of a service dial now.
select coalesce(sum(c.weight), 0)::integer as weight
from carillon.campaigns c
where c.base_url = @baseUrl and c.id <> @campaignId and c.state = 'running'
  and (c.driver = 'background' or carillon.run_lives(c.run_seen_at))
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting' and r.next_at <= now())

-- name: next_due
-- When a campaign's next waiting row with a time is due.
select (select r.next_at from carillon.recipients r
  where r.campaign_id = @campaignId and r.state = 'waiting' and r.next_at > '-infinity' order by r.next_at
    limit 1) as "nextAt"

-- name: change
-- A new order for what is not yet planned. A person who waits for another attempt, but has had as many as are now
-- allowed, is done. A change names the revision that it was made from, and changes nothing if another change came in
-- between. @campaignId: id; @revision: that revision (null: any); @name: another name (null: it keeps its own)
-- long
with before as (
  select id, max_attempts from carillon.campaigns
  where id = @campaignId and (@revision::integer is null or revision = @revision::integer) for no key update
), campaign as (
  update carillon.campaigns c set terms = @order, name = coalesce(@name, c.name), revision = c.revision + 1,
    updated_at = now(),
    most_attempts = greatest(c.most_attempts, b.max_attempts, (@order::jsonb ->> 'maxAttempts')::integer),
    renewing = case when (@order::jsonb ->> 'maxAttempts')::integer > b.max_attempts then c.revision + 1
      else c.renewing end
  from before b where c.id = b.id
  returning c.id, c.max_attempts, b.max_attempts as allowed
), spent as (
  update carillon.recipients r set state = 'done', reason = null, held = null, held_under = null, retry_at = null,
    updated_at = now()
  from campaign c
  where c.max_attempts < c.allowed and r.campaign_id = c.id and r.state = 'waiting'
    and r.outcome is not null and r.attempts >= carillon.most_tries(c.max_attempts, r)
), opened as (
  -- Numbers that the old hours kept from ever being called are judged again.
  update carillon.phones p set passed = null
  from campaign c where p.campaign_id = c.id and p.passed like 'can never be called:%'
)
select c.id from campaign c

-- name: called_nobody
-- Whether a campaign has called nobody: see carillon.called_nobody.
select carillon.called_nobody(@campaignId) as "calledNobody"

-- name: move
-- Moves a campaign that has called nobody to another service.
select carillon.move_campaign(@campaignId, @baseUrl) as moved

-- name: take
-- A run takes the campaign: only it dials, at most @limit calls (null: any number). Refusals of the order and failed
-- calls from before do not count any more. @campaignId: id
with forgotten as (
  delete from carillon.recent_ends e where e.campaign_id = @campaignId
), taken as (
  update carillon.campaigns set state = 'running', reason = null, driver = 'run', run_id = @runId, run_seen_at = now(),
    faults = 0, proved = false, revision = revision + 1, updated_at = now()
  where id = @campaignId and state <> 'canceled' returning id
)
select carillon.limit_run(t.id, @limit) as id from taken t

-- name: seen
-- The run reports that it is active, and reads how many calls it may still open (null: any number). @campaignId: id
update carillon.campaigns c set run_seen_at = now() where id = @campaignId and run_id = @runId and driver = 'run'
returning (select l.calls_left from carillon.run_limits l where l.campaign_id = c.id) as "callsLeft"

-- name: requests
-- Counts requests that belong to the campaign but to no attempt. @campaignId: id; @requests: how many
insert into carillon.tally_deltas (campaign_id, name, n) select @campaignId, 'requests', @requests::integer
  where @requests::integer <> 0

-- name: rest
-- The run has ended; the campaign rests in the given state. A done campaign that was given more people at the last
-- moment waits to be started again; an evergreen one continues. @campaignId: id
update carillon.campaigns c set run_id = null, run_seen_at = null,
  state = case when c.state <> 'running' then c.state when x.more then 'paused' else @state end,
  reason = case when c.state <> 'running' then c.reason when x.more then 'recipients were added; start it again'
    else @reason end,
  updated_at = now()
from (select @state::text = 'done' and not o.evergreen and exists (
    select from carillon.recipients r where r.campaign_id = o.id and r.state = 'waiting') as more
  from carillon.campaigns o where o.id = @campaignId) x
where c.id = @campaignId and c.run_id = @runId

-- name: left_runs
-- Campaigns whose run was killed and will not dial them again: the background workers will, or nobody.
select id from carillon.campaigns
where base_url = @baseUrl and run_id is not null and run_seen_at < now() - interval '60 seconds'
  and (driver = 'background' or state in ('canceled', 'done') or superseded_at is not null)
limit 20

-- name: forget_run
-- Forgets a killed run. A run that took the campaign in the meantime stays.
update carillon.campaigns set run_id = null, run_seen_at = null
where id = @campaignId and run_seen_at < now() - interval '60 seconds'

-- name: pause
-- No attempt is opened after this commit. @ids (null: every running campaign)
update carillon.campaigns set state = 'paused', reason = @why, updated_at = now()
where (@ids::uuid[] is null or id = any (@ids)) and state = 'running'
returning id, name

-- name: stopped
-- The campaigns that stopped for this reason, oldest first, and the people whom each has yet to call.
select c.id, c.name, coalesce((select sum(n.n) from carillon.counts n
    where n.campaign_id = c.id and n.name in ('waiting', 'parked')), 0)::integer as people
from carillon.campaigns c where c.state = 'paused' and c.reason = @why order by c.created_at, c.id

-- name: resume
-- The campaign continues: in its run if that is active, else on the background workers. @campaignId: id
with forgotten as (
  -- Calls that failed before the campaign continued do not stop it again.
  delete from carillon.recent_ends e where e.campaign_id = @campaignId
)
update carillon.campaigns set state = 'running', reason = null, faults = 0, updated_at = now(),
  revision = revision + 1,
  driver = case when driver = 'run' and run_id is not null and carillon.run_holds(id, run_seen_at)
    then 'run' else 'background' end
where id = @campaignId and state <> 'canceled'
returning id, driver

-- name: park_rest
-- A run that leaves on 402 parks the rows that it did not get to.
-- long
with moved as (
  select e.recipient_id from carillon.end_attempts(
    array(select a.id from carillon.attempts a where a.campaign_id = @campaignId and a.state = 'planned'),
    '{planned}', 'dropped', 'parked', null) e
)
update carillon.recipients r set state = 'parked', reason = @why, updated_at = now()
where r.campaign_id = @campaignId and (r.state = 'waiting' or r.id in (select m.recipient_id from moved m))

-- name: unpark
-- Rows that were parked before anything was planned for them wait again.
-- long
update carillon.recipients r set state = 'waiting', reason = null, updated_at = now()
where r.campaign_id = @campaignId and r.state = 'parked'

-- name: brake
-- Pauses running campaigns that stop by themselves: the first people have been called, or too many calls failed.
-- Campaigns with nobody left to call are left out.
-- @leastCalls: how many calls are needed to judge by; @only: campaigns (null: all)
with left_over as (
  select c.* from carillon.campaigns c
  where c.base_url = @baseUrl and (@only::uuid[] is null or c.id = any (@only::uuid[])) and c.state = 'running'
    and (c.stop_percent is not null or c.first_people > c.first_met)
    and (exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
      or exists (select from carillon.attempts a where a.campaign_id = c.id and a.state in ('planned', 'parked')))
), failing as (
  select c.id, format('stop-at: %s of %s calls in %s failed', e.failed, e.calls,
    case when c.stop_seconds % 60 = 0 then c.stop_seconds / 60 || ' min' else c.stop_seconds || ' s' end) as why
  from left_over c cross join lateral (
    select count(*) as calls, count(*) filter (where x.failed) as failed from carillon.recent_ends x
    where x.campaign_id = c.id and x.at > clock_timestamp() - make_interval(secs => c.stop_seconds)
  ) e
  where c.stop_percent is not null and e.calls >= @leastCalls::integer and e.failed * 100 >= c.stop_percent * e.calls
), met as (
  select c.id, 'first' as why from left_over c
  where c.first_people > c.first_met and carillon.firsts_in(c.id, '{unknown}') >= c.first_people
), chosen as (
  select f.id, f.why from failing f
  union all
  select m.id, m.why from met m where not exists (select from failing f where f.id = m.id)
), braked as (
  update carillon.campaigns c set state = 'paused', reason = x.why, updated_at = now(),
    first_met = case when x.why = 'first' then c.first_people else c.first_met end
  from chosen x where c.id = x.id and c.state = 'running'
  returning c.id, c.name, c.reason
), told as (
  insert into carillon.activity (who, role, verb, subject, campaign_id, before, after)
  select 'carillon', 'admin', 'campaign.pause', b.id::text, b.id, '{"state": "running"}',
    jsonb_build_object('state', 'paused', 'reason', b.reason)
  from braked b
)
select b.id, b.name, b.reason from braked b

-- name: old_ends
-- Removes the ends of calls that no campaign judges any more.
delete from carillon.recent_ends e
where e.at < now() - make_interval(secs => coalesce(
  (select c.stop_seconds from carillon.campaigns c where c.id = e.campaign_id), 0))

-- name: cancel
-- Nobody else is called; placed calls are followed to their end. The waiting rows are skipped later, in batches.
-- @campaignId: id; @startsOver: whether it also gives up its name, because it is started over
update carillon.campaigns set state = 'canceled', reason = @why, sweep = case when @startsOver then @why
  else 'campaign canceled' end,
  revision = revision + 1, updated_at = now(), superseded_at = case when @startsOver then now() else superseded_at end
where id = @campaignId and (state <> 'canceled' or (@startsOver and superseded_at is null))
returning id

-- name: to_sweep
-- Campaigns that may have something left to skip: canceled or ended ones, and those of any service that are being
-- deleted.
select c.id, c.deleted_at is not null as deleted from carillon.campaigns c
where (c.sweep is not null and (c.base_url = @baseUrl or c.deleted_at is not null))
  or (c.base_url = @baseUrl and c.state in ('running', 'paused') and carillon.has_ended(c.ends_at) and exists (
    select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting' offset 0))

-- name: sweep
-- Skips waiting rows of a canceled or ended campaign (carillon.sweep_campaign); returns how many. @most: at most
select carillon.sweep_campaign(c.id, coalesce(c.sweep, 'ended'), @most) as swept
from carillon.campaigns c where c.id = @campaignId and (c.sweep is not null or carillon.has_ended(c.ends_at))

-- name: swept
-- The sweep is over: nothing is left to skip, and nothing in progress can come back.
update carillon.campaigns c set sweep = null
where c.id = @campaignId and c.sweep is not null
  and not exists (select from carillon.left_of(c.id))

-- name: done
-- Background campaigns with nothing left to do. One that a person paused while its last calls were in progress is done
-- too; one that paused by itself still waits for a person's look. @only: campaigns (null: all)
update carillon.campaigns c set state = 'done', updated_at = now()
where c.base_url = @baseUrl and c.driver = 'background' and c.kind = 'list' and c.renewing is null
  and (@only::uuid[] is null or c.id = any (@only::uuid[]))
  and (c.state = 'running' or (c.state = 'paused' and c.faults = 0
    and c.reason not in ('first', 'history-lost') and c.reason not like 'stop-at:%'
    and exists (select from carillon.counts n where n.campaign_id = c.id and n.name = 'calls' and n.n > 0)))
  and not exists (select from carillon.left_of(c.id))
returning id, name

-- name: wake_grown
-- People were added to a done campaign. An evergreen one continues on the background workers; another rests until it is
-- started again.
-- @campaignId: id (null: every evergreen one); @baseUrl: service (null: any); @only: campaigns (null: all)
update carillon.campaigns c
set state = case when c.evergreen then 'running' else 'paused' end,
  reason = case when c.evergreen then null else 'recipients were added; start it again' end,
  driver = case when c.evergreen then 'background' else c.driver end, faults = 0, revision = c.revision + 1,
  updated_at = now()
where c.state = 'done' and c.superseded_at is null and (c.id = @campaignId or (@campaignId::uuid is null
  and c.evergreen))
  and (@baseUrl::text is null or c.base_url = @baseUrl) and (@only::uuid[] is null or c.id = any (@only::uuid[]))
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
returning c.id

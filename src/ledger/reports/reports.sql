-- name: balance
-- Every campaign that ever was: its rows, counted one by one and by state, and the counts of its tallies and live
-- attempts, in one snapshot. The two must agree.
-- long
select c.id, c.name, c.base_url as "baseUrl", c.superseded_at is not null as superseded,
  (select count(*)::integer from carillon.rejects j where j.campaign_id = c.id) as refused,
  (select count(*)::integer from carillon.recipients r where r.campaign_id = c.id) as people,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select r.state, count(*)::integer as n from carillon.recipients r where r.campaign_id = c.id group by 1) s) as states,
  (select coalesce(jsonb_object_agg(s.outcome, s.n), '{}')
   from (select r.outcome, count(*)::integer as n from carillon.recipients r
     where r.campaign_id = c.id and r.state = 'done' and r.outcome is not null group by 1) s) as outcomes,
  (select coalesce(jsonb_object_agg(t.name, t.n), '{}') from carillon.counts t where t.campaign_id = c.id) as tally,
  (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
   from (select a.state, count(*)::integer as n from carillon.attempts a where a.campaign_id = c.id group by 1) s) as live
from carillon.campaigns c
where c.deleted_at is null
order by c.created_at

-- name: report
-- A campaign's ended calls by one of their parts and their outcome: see carillon.report_sums.
-- @part: part: hour, day, caller, agent or attempt
select value, outcome, calls, cost, costed, seconds, timed, busy, followed
from carillon.report_sums where campaign_id = @campaignId and part = @part
order by value, outcome

-- name: results
-- Results in input order, a page at a time, without what was said. @row, @id: after this row and id
select r.* from carillon.results r
where r.campaign_id = @campaignId and (r.row, r.id) > (@row, @id)
order by r.row, r.id limit @most

-- name: attempts
-- A campaign's attempts, grouped by person, a page at a time, without what was said: see carillon.attempts_after.
-- @recipientId, @id: after this recipient and attempt
-- long
select r.id as "recipientId", r.row, r.name, r.input, a.id as said,
  a.id, a."ofRecipient", a.number, a.state, a.outcome, a.agent, a.key, a.caller, a.phone, a."callId",
  a.provider_call_sid, a.status, a.duration, a.cost, a."plannedAt", a."dialedAt", a."startedAt", a."endedAt",
  a.direction, a.contact_id, a.recording_url, a.org_id, a.agent_id, a.ended_reason, a.currency, a.error, a.bytes
from carillon.attempts_after(@campaignId, @recipientId, @id, @most) with ordinality as x(recipient, attempt, nth)
cross join lateral (select t.* from carillon.tries t where t.id = x.attempt offset 0) a
cross join lateral (select p.* from carillon.recipients p where p.id = x.recipient offset 0) r
order by x.nth

-- name: said
-- The words of these calls. @ids: attempts
select e.id, e.transcript, e.structured_data, e.metadata from unnest(@ids::uuid[]) as x(id)
cross join lateral (select d.* from carillon.ended_attempts d where d.id = x.id offset 0) e

-- name: attempts_of
-- Every attempt of one person, in order.
select t.* from carillon.tries t where t."ofRecipient" = @recipientId order by t.id

-- name: attempt
-- One attempt as people see it, with its recipient, campaign and lane.
select a.id, a.state, a.reason, a.detail, a.requests, a.caller, a.lane_id as "laneId", l.name as key,
  a.dialing_at as "dialingAt", carillon.free_from(a.expires_at) as "freeFrom", a.placed_at as "placedAt",
  a.next_poll_at as "nextPollAt", a.ended_at as "endedAt",
  a.call_id as "callId", a.status, a.outcome, a.duration, a.cost, a.transcript,
  a.recording_url, a.structured_data,
  r.id as "recipientId", r.row, r.phone, r.name, r.place, r.callbacks, r.state as "recipientState", r.reason as "recipientReason",
  c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.base_url as "baseUrl",
  coalesce(a.agent, carillon.agent_of(r.agent, c.terms, c.id, r.phone)) as "agentId"
from carillon.all_attempts a
join carillon.people r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where a.id = @attemptId

-- name: attempt_of_call
-- The attempt to which a call of the service belongs.
select a.id from carillon.all_attempts a join carillon.campaigns c on c.id = a.campaign_id
where c.base_url = @baseUrl and a.call_id = @callId
order by a.planned_at limit 1

-- name: live
-- Attempts that are not over, by campaign and state: a scrape does not count settled rows.
select c.name as campaign, a.state, count(*)::integer as count
from carillon.campaigns c join carillon.attempts a on a.campaign_id = c.id
where c.base_url = @baseUrl and c.superseded_at is null
group by c.name, a.state order by c.name, a.state

-- name: waiting
-- The people of a campaign who wait, by what decides until when, and the ledger's time: see carillon.waiting_sums. The
-- due time is null for a row without a time of its own.
select place, nullif(due, '-infinity') as due, attempts, held, n
from carillon.waiting_sums where campaign_id = @campaignId and n > 0
order by place, due, attempts, held

-- name: waiting_phones
-- How many due rows of a campaign wait for a phone that another attempt has, by place. There are few live phones, and
-- each is looked up by itself first: by state or time, all waiting rows would be read for each phone.
select w.place, count(*)::integer as n
from carillon.live_phones p
cross join lateral (
  select r.place, r.state, r.next_at from carillon.recipients r where r.phone = p.phone
    and r.campaign_id = @campaignId offset 0
) w
where w.state = 'waiting' and w.next_at <= now()
group by w.place order by w.place

-- name: waiting_soonest
-- The earliest future time of a campaign's next attempts, and the ledger's clock.
select now() as now, (select r.next_at from carillon.recipients r
  where r.campaign_id = @campaignId and r.state = 'waiting' and r.next_at > now() order by r.next_at limit 1) as soonest

-- name: rejects
-- The rejected rows of a campaign in input order: those that imports refused, and the people whom the service refused.
-- Both kinds have ids of their own, so one gets the even numbers and the other the odd ones.
-- @row, @id: after this row and id
select id, row, reason, input, on_list as "onList" from (
  (select j.id * 2 as id, j.row, j.reason, j.input, false as on_list from carillon.rejects j
    where j.campaign_id = @campaignId and j.row >= @row and (j.row, j.id * 2) > (@row, @id) order by j.row, j.id
      limit @most)
  union all
  (select r.id * 2 + 1, r.row, coalesce('refused by the service: ' || r.reason, 'erased'), r.input, true
    from carillon.recipients r
    where r.campaign_id = @campaignId and r.state = 'rejected' and r.row >= @row and (r.row, r.id * 2 + 1) > (@row, @id)
    order by r.row, r.id limit @most)
) x
order by row, id limit @most

-- name: audit
-- The rules that a sound ledger keeps, each with how often it is broken. The counts of a campaign that is being deleted
-- are removed last.
-- long
select 'a recipient in progress has no live attempt' as rule, count(*)::integer as broken
from carillon.recipients r where r.state = 'live' and not exists (
  select from carillon.attempts a where a.recipient_id = r.id)
union all
select 'a live attempt belongs to a recipient who is not in progress', count(*)::integer
from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
where r.state <> 'live' or r.phone <> a.phone or r.campaign_id <> a.campaign_id
union all
select 'an attempt is live and over at once', count(*)::integer
from carillon.attempts a where exists (select from carillon.ended_attempts e where e.id = a.id)
union all
select 'a recipient has more accepted calls than attempts', count(*)::integer
-- Attempts that dialled nobody, as their records say, do not count for the person.
from (select r.id from carillon.people r join carillon.all_attempts a on a.recipient_id = r.id and a.call_id is not null
    and not (a.state = 'dropped' and coalesce(a.reason in ('no-room', 'no-credit'), false))
  group by r.id, r.attempts having count(*) > r.attempts) x
union all
select 'a recipient was called more often than the campaign allows', count(*)::integer
from (select r.id from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
  join carillon.all_attempts a on a.recipient_id = r.id and a.call_id is not null
    and not (a.state = 'dropped' and coalesce(a.reason in ('no-room', 'no-credit'), false))
  group by r.id, c.max_attempts, c.most_attempts
  having count(*) > carillon.most_tries(greatest(c.max_attempts, c.most_attempts), r)) x
union all
select 'one call of the service belongs to two attempts', count(*)::integer
from (select a.call_id from carillon.all_attempts a join carillon.campaigns c on c.id = a.campaign_id
  where a.call_id is not null group by c.base_url, a.call_id having count(*) > 1) x
union all
select 'a recipient that is done was never called', count(*)::integer
from carillon.recipients r where r.state = 'done' and not exists (
  select from carillon.ended_attempts e where e.recipient_id = r.id and e.state in ('done', 'refused'))
union all
select 'an attempt that is dialing or on a call does not hold its phone', count(*)::integer
from carillon.attempts a where a.state in ('dialing', 'placed') and exists (
  select from unnest(carillon.kept_by(a.phone, a.keeps)) as k(phone)
  where not exists (select from carillon.live_phones p where p.phone = k.phone))
union all
select 'the service began a call outside the hours of its campaign or of the contact rules', count(*)::integer
from carillon.ended_attempts e where e.state = 'done' and e.reason = 'late-start'
union all
select 'a phone is held by an attempt that is not live', count(*)::integer
from carillon.live_phones p where not exists (
  select from carillon.attempts a where a.id = p.attempt_id and a.state in ('dialing', 'placed', 'unknown'))
union all
select 'a tally differs from what it counts', count(*)::integer
from (
  select campaign_id, state as name, count(*) as n from carillon.recipients group by 1, 2
  union all
  select campaign_id, 'outcome:' || outcome, count(*) from carillon.recipients
  where state = 'done' and outcome is not null group by 1, 2
  union all
  select campaign_id, 'first:' || outcome, count(*) from carillon.recipients
  where is_first and outcome is not null group by 1, 2
  union all
  select campaign_id, 'judged:' || judgement, count(*) from carillon.judgements where is_first group by 1, 2
  union all
  select campaign_id, 'refused', count(*) from carillon.rejects group by 1
  union all
  select campaign_id, 'calls', count(*) from carillon.ended_attempts where state = 'done' group by 1
  union all
  select campaign_id, 'answered', count(*) from carillon.ended_attempts
  where state = 'done' and outcome = 'answered' group by 1
  union all
  select campaign_id, 'called', count(distinct recipient_id) from carillon.ended_attempts where state = 'done' group by 1
  union all
  select campaign_id, 'reached', count(distinct recipient_id) from carillon.ended_attempts
  where state = 'done' and outcome = 'answered' group by 1
  union all
  select campaign_id, 'redialed', count(*) from carillon.ended_attempts
  where state = 'dropped' and reason = 'redialed' group by 1
  union all
  select campaign_id, 'polls', sum(polls) from carillon.ended_attempts group by 1
) x
full join (select * from carillon.counts where name not in ('requests', 'cost', 'opt-outs', 'opt-out-read', 'opt-out-found')) t using (campaign_id, name)
where coalesce(x.n, 0) <> coalesce(t.n, 0)
  and campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)
union all
select 'a campaign counts other attempts than its rows', count(*)::integer
from (select r.campaign_id, sum(r.attempts) as n from carillon.recipients r group by 1) x
full join (select c.campaign_id, sum(c.n) as n from carillon.counts c
  where c.name in ('calls', 'redialed') group by 1) t using (campaign_id)
where coalesce(x.n, 0) <> coalesce(t.n, 0)
  and campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)
union all
select 'a report differs from the calls that it counts', count(*)::integer
from (
  select e.campaign_id, p.part, p.value, coalesce(e.outcome, '') as outcome, count(*) as calls,
    coalesce(sum(e.cost), 0) as cost, count(e.cost) as costed, coalesce(sum(e.duration), 0) as seconds,
    count(e.duration) as timed, count(*) filter (where e.was = 'placed') as followed
  from carillon.ended_attempts e
  cross join lateral carillon.report_parts(
    e.local_hour, carillon.local_day(e.placed_at, e.local_hour), carillon.caller_named(e.caller), coalesce(e.agent, ''),
    e.number) p
  where e.state = 'done' group by 1, 2, 3, 4
) x
full join carillon.report_sums t using (campaign_id, part, value, outcome)
where campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)
  and ((coalesce(x.calls, 0), coalesce(x.costed, 0), coalesce(x.timed, 0), coalesce(x.followed, 0))
    <> (coalesce(t.calls, 0), coalesce(t.costed, 0), coalesce(t.timed, 0), coalesce(t.followed, 0))
  or abs(coalesce(x.cost, 0) - coalesce(t.cost, 0)) > 1e-6 * (1 + abs(coalesce(t.cost, 0)))
  or abs(coalesce(x.seconds, 0) - coalesce(t.seconds, 0)) > 1e-6 * (1 + abs(coalesce(t.seconds, 0))))
union all
-- Of a deleted campaign the costs stay: its service's budgets count them.
select 'the costs of a campaign differ from its calls', count(*)::integer
from (
  select l.base_url, e.campaign_id, count(*) filter (where k.known) as told, coalesce(sum(e.cost), 0) as cost,
    count(*) filter (where k.must and not k.known) as untold
  from carillon.ended_attempts e join carillon.lanes l on l.id = e.lane_id
  cross join lateral (select carillon.knows_cost(e.cost, e.outcome) as known, carillon.must_cost(e.outcome) as must) k
  where carillon.may_have_rung(e.state, e.reason) and (k.known or k.must) group by 1, 2
) x
full join (
  select c.base_url, c.campaign_id, sum(c.told) as told, sum(c.cost) as cost, sum(c.untold) as untold
  from carillon.cost_sums c group by 1, 2
) t using (base_url, campaign_id)
where campaign_id in (select d.id from carillon.campaigns d where d.deleted_at is null)
  and ((coalesce(x.told, 0), coalesce(x.untold, 0)) <> (coalesce(t.told, 0), coalesce(t.untold, 0))
  or abs(coalesce(x.cost, 0) - coalesce(t.cost, 0)) > 1e-6 * (1 + abs(coalesce(t.cost, 0))))
union all
select 'a count of waiting people differs from the rows', count(*)::integer
from (
  select campaign_id, place, carillon.due_step(next_at) as due, attempts,
    coalesce(carillon.held_by(held, callback_at), '') as held, count(*) as n
  from carillon.recipients where state = 'waiting' group by 1, 2, 3, 4, 5
) x
full join carillon.waiting_sums t using (campaign_id, place, due, attempts, held)
where coalesce(x.n, 0) <> coalesce(t.n, 0)
  and campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)

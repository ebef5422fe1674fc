-- The rules that a sound ledger keeps, each with how often it is broken. The counts of a campaign that is being deleted
-- go at its end.
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
from (select r.id from carillon.people r join carillon.all_attempts a on a.recipient_id = r.id and a.call_id is not null
  group by r.id, r.attempts having count(*) > r.attempts) x
union all
select 'a recipient was called more often than the campaign allows', count(*)::integer
from (select r.id from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
  join carillon.all_attempts a on a.recipient_id = r.id and a.call_id is not null
  group by r.id, c.max_attempts, c.most_attempts
  having count(*) > greatest(c.max_attempts, c.most_attempts, r.granted)) x
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
from carillon.attempts a where a.state in ('dialing', 'placed') and not exists (
  select from carillon.live_phones p where p.phone = a.phone)
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
    e.local_hour, carillon.caller_named(e.caller), coalesce(e.agent, ''), e.number) p
  where e.state = 'done' group by 1, 2, 3, 4
) x
full join carillon.report_sums t using (campaign_id, part, value, outcome)
where campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)
  and ((coalesce(x.calls, 0), coalesce(x.costed, 0), coalesce(x.timed, 0), coalesce(x.followed, 0))
    <> (coalesce(t.calls, 0), coalesce(t.costed, 0), coalesce(t.timed, 0), coalesce(t.followed, 0))
  or abs(coalesce(x.cost, 0) - coalesce(t.cost, 0)) > 1e-6 * (1 + abs(coalesce(t.cost, 0)))
  or abs(coalesce(x.seconds, 0) - coalesce(t.seconds, 0)) > 1e-6 * (1 + abs(coalesce(t.seconds, 0))))
union all
select 'a count of waiting people differs from the rows', count(*)::integer
from (
  select campaign_id, place, carillon.due_step(next_at) as due, attempts, coalesce(held, '') as held, count(*) as n
  from carillon.recipients where state = 'waiting' group by 1, 2, 3, 4, 5
) x
full join carillon.waiting_sums t using (campaign_id, place, due, attempts, held)
where coalesce(x.n, 0) <> coalesce(t.n, 0)
  and campaign_id not in (select d.id from carillon.campaigns d where d.deleted_at is not null)

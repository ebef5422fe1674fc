-- Costs and lengths that no call can have, as services told them before these had ranges: two of them broke every sum.
-- They count as not told, and their campaigns are summed again. The triggers come back with the functions.
drop trigger if exists attempts_reported_again on carillon.ended_attempts;
create temporary table odd (id uuid primary key) on commit drop;
with wrong as (
  update carillon.ended_attempts e set
    cost = case when e.cost = 0 or e.cost between 1e-9 and 100000 then e.cost end,
    duration = case when e.duration = 0 or e.duration between 1e-9 and 604800 then e.duration end
  where not (e.cost = 0 or e.cost between 1e-9 and 100000) or not (e.duration = 0 or e.duration between 1e-9 and 604800)
  returning e.campaign_id
)
insert into odd select distinct w.campaign_id from wrong w;
alter table carillon.ended_attempts
add constraint ended_cost check (cost = 0 or cost between 1e-9 and 100000),
add constraint ended_duration check (duration = 0 or duration between 1e-9 and 604800);

delete from carillon.report_deltas d using odd where d.campaign_id = odd.id;
delete from carillon.report_tallies t using odd where t.campaign_id = odd.id;
insert into carillon.report_tallies (campaign_id, part, value, outcome, calls, cost, costed, seconds, timed, busy, followed)
select e.campaign_id, p.part, p.value, coalesce(e.outcome, ''), count(*), coalesce(sum(e.cost), 0), count(e.cost),
  coalesce(sum(e.duration), 0), count(e.duration),
  coalesce(sum(extract(epoch from e.ended_at - e.dialing_at)) filter (where e.was = 'placed'), 0),
  count(*) filter (where e.was = 'placed')
from odd join carillon.ended_attempts e on e.campaign_id = odd.id
cross join lateral (values
  ('hour', coalesce(e.local_hour::text, '')),
  ('day', coalesce(to_char((e.placed_at at time zone 'UTC') + make_interval(hours => (e.local_hour
    - (extract(isodow from e.placed_at at time zone 'UTC')::integer - 1) * 24
    - extract(hour from e.placed_at at time zone 'UTC')::integer + 252) % 168 - 84), 'YYYY-MM-DD'), '')),
  ('caller', coalesce(e.caller ->> 'number', e.caller ->> 'numberId', '')),
  ('agent', coalesce(e.agent, '')), ('attempt', e.number::text)) as p(part, value)
where e.state = 'done' group by 1, 2, 3, 4;

-- Of a campaign that is deleted only the sum is left, and it goes.
delete from carillon.costs c
where c.campaign_id in (select odd.id from odd)
  or not (c.dearest between 0 and 100000 and c.cost between 0 and 100000 * greatest(c.told, 1));
insert into carillon.costs (base_url, day, campaign_id, agent, currency, told, talked, cost, squares, untold, dearest)
select l.base_url, (coalesce(e.dialing_at, e.planned_at) at time zone 'UTC')::date, e.campaign_id, coalesce(e.agent, ''), coalesce(e.currency, ''),
  count(*) filter (where x.known), count(*) filter (where x.known and x.talked), coalesce(sum(e.cost), 0),
  coalesce(sum(e.cost * e.cost), 0), count(*) filter (where x.talked and not x.known), coalesce(max(e.cost), 0)
from odd join carillon.ended_attempts e on e.campaign_id = odd.id
join carillon.lanes l on l.id = e.lane_id
cross join lateral (
  select e.cost is not null and not (e.cost = 0 and e.outcome is not distinct from 'answered') as known,
    coalesce(e.outcome in ('answered', 'voicemail', 'dropped'), true) as talked
) x
where (e.state = 'done' or (e.state = 'dropped' and e.reason = 'redialed')) and (x.known or x.talked)
group by 1, 2, 3, 4, 5;

delete from carillon.tally_deltas d using odd where d.campaign_id = odd.id and d.name = 'cost';
update carillon.tallies t
set n = (select coalesce(sum(e.cost), 0) from carillon.ended_attempts e where e.campaign_id = t.campaign_id)
from odd where t.campaign_id = odd.id and t.name = 'cost';
update carillon.campaign_marks k set cost = x.cost, costed = x.costed
from odd cross join lateral (
  select coalesce(sum(t.cost), 0) as cost, coalesce(sum(t.costed), 0) as costed
  from carillon.report_tallies t where t.campaign_id = odd.id and t.part = 'attempt'
) x
where k.campaign_id = odd.id;
update carillon.campaign_series s set cost = 0, costed = 0 where not (s.cost between 0 and 100000 * s.costed);
update carillon.lane_series s set cost = 0 where not (s.cost between 0 and 1e9);
update carillon.lanes l set credit_spent = null, credit_lasted = null
where not (l.credit_spent between 0 and 1e9) or not (l.credit_lasted between 0 and 1e9);
-- How many more calls a run may open: its --limit. Apart from its campaign, whose row other verbs change, so that the fence
-- and what gives a call back wait for nothing else. since: when the run took the campaign, as only calls that were opened
-- after that are given back.
create table carillon.run_limits (
  campaign_id uuid primary key references carillon.campaigns on delete cascade,
  calls_left integer not null check (calls_left >= 0),
  since timestamptz not null
) with (fillfactor = 50);

-- A budget reserves what the dearest call cost, and no deviation of the mean any more.
drop view if exists carillon.cost_sums cascade;
alter table carillon.costs drop column squares;
alter table carillon.report_deltas drop column squares;
-- What a call of the service costs at most, as its description says.
alter table carillon.lanes add column call_cost double precision check (call_cost > 0);

-- Where the service promises that one idempotency key makes one call: the create as it was sent, until when it may be
-- sent again, and when that was last done. What was sent is forgotten once the attempt has its answer.
alter table carillon.attempts
  add column sent text,
  add column repeat_until timestamptz,
  add column repeated_at timestamptz,
  add check ((sent is null) = (repeat_until is null));

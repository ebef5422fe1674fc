-- What calls cost, by the UTC day on which they were dialled, campaign, agent and currency: budgets are judged by it, and
-- so is what the next call is likely to cost. Kept like the tallies: deltas are inserted, and folded.
create table carillon.costs (
  base_url text not null,
  day date not null,
  campaign_id uuid not null,
  agent text not null,
  -- Empty where the service does not tell it.
  currency text not null,
  -- Calls whose cost is known, and how many of them somebody or a mailbox answered.
  told double precision not null,
  talked double precision not null,
  cost double precision not null,
  -- The sum of the squares of the costs.
  squares double precision not null,
  -- Calls that must have cost something, and of which no cost is known.
  untold double precision not null,
  primary key (base_url, day, campaign_id, agent, currency)
) with (fillfactor = 80);
create index costs_campaign on carillon.costs (campaign_id);
create index costs_agent on carillon.costs (base_url, agent, day);
create table carillon.cost_deltas (like carillon.costs)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

insert into carillon.costs
select l.base_url, (coalesce(e.dialing_at, e.planned_at) at time zone 'UTC')::date, e.campaign_id, coalesce(e.agent, ''), coalesce(e.currency, ''),
  count(*) filter (where x.known), count(*) filter (where x.known and x.talked), coalesce(sum(e.cost), 0),
  coalesce(sum(e.cost * e.cost), 0), count(*) filter (where x.talked and not x.known)
from carillon.ended_attempts e
join carillon.lanes l on l.id = e.lane_id
cross join lateral (
  select e.cost is not null and not (e.cost = 0 and e.outcome is not distinct from 'answered') as known,
    coalesce(e.outcome in ('answered', 'voicemail', 'dropped'), true) as talked
) x
where (e.state = 'done' or (e.state = 'dropped' and e.reason = 'redialed')) and (x.known or x.talked)
group by 1, 2, 3, 4, 5;

-- VOICE_MAX_COST of each process that dials a service, as it last said: the lowest of those that live holds for all.
create table carillon.budgets (
  base_url text not null,
  process text not null,
  day double precision check (day > 0),
  month double precision check (month > 0),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (base_url, process)
) with (fillfactor = 50);

alter table carillon.campaigns
add column max_cost double precision generated always as ((terms ->> 'maxCost')::double precision) stored check (max_cost > 0);

-- What the call was likely to cost when it was opened under a budget: it is reserved while the attempt is live.
alter table carillon.attempts add column likely_cost double precision;

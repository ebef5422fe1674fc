-- What the dearest call has cost: a call under way may cost as much, and a budget holds that back.
alter table carillon.costs add column dearest double precision not null default 0;
update carillon.costs c set dearest = d.cost
from (
  select l.base_url, (coalesce(e.dialing_at, e.planned_at) at time zone 'UTC')::date as day, e.campaign_id,
    coalesce(e.agent, '') as agent, coalesce(e.currency, '') as currency, max(e.cost) as cost
  from carillon.ended_attempts e join carillon.lanes l on l.id = e.lane_id
  where e.cost > 0 group by 1, 2, 3, 4, 5
) d
where (c.base_url, c.day, c.campaign_id, c.agent, c.currency) = (d.base_url, d.day, d.campaign_id, d.agent, d.currency);
alter table carillon.attempts drop column likely_cost;

-- Costs are counted by the deltas of reports, so that a settlement inserts one row for both.
alter table carillon.report_deltas
add column lane_id integer,
-- The UTC day on which the calls were dialled.
add column day date,
add column currency text not null default '',
-- As in carillon.costs.
add column told double precision not null default 0,
add column talked double precision not null default 0,
add column squares double precision not null default 0,
add column dearest double precision not null default 0,
add column untold double precision not null default 0;
insert into carillon.costs as t (base_url, day, campaign_id, agent, currency, told, talked, cost, squares, untold)
select base_url, day, campaign_id, agent, currency, sum(told), sum(talked), sum(cost), sum(squares), sum(untold)
from carillon.cost_deltas group by 1, 2, 3, 4, 5
on conflict (base_url, day, campaign_id, agent, currency) do update set told = t.told + excluded.told,
  talked = t.talked + excluded.talked, cost = t.cost + excluded.cost, squares = t.squares + excluded.squares,
  untold = t.untold + excluded.untold;
drop trigger if exists attempts_costed on carillon.ended_attempts;
drop trigger if exists attempts_costed_again on carillon.ended_attempts;
drop view if exists carillon.cost_sums cascade;
drop table carillon.cost_deltas;

-- How far credit reaches: what the key's calls have cost since it last had credit again, and what they cost in the whole
-- period before that. Null until it is known.
alter table carillon.lanes
add column credit_spent double precision,
add column credit_lasted double precision;
alter table carillon.lane_series add column cost double precision not null default 0;

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

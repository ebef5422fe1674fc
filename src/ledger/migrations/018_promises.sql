-- How many more calls a run may open: its --limit. Apart from its campaign, whose row other verbs change, so that the fence
-- and what gives a call back wait for nothing else. since: when the run took the campaign, as only calls that were opened
-- after that are given back.
create table carillon.run_limits (
  campaign_id uuid primary key references carillon.campaigns on delete cascade,
  calls_left integer not null check (calls_left >= 0),
  since timestamptz not null
) with (fillfactor = 50);

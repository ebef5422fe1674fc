-- A campaign's ended calls by one of their parts and their outcome: see carillon.report_sums.
-- $1 campaign, $2 part: hour, caller, agent or attempt
select value, outcome, calls, cost, costed, seconds, timed, busy, followed
from carillon.report_sums where campaign_id = $1 and part = $2
order by value, outcome

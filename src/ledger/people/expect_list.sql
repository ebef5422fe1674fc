-- How many people of a campaign an import will find in each state: see carillon.expected_people. $1 campaign, $2 whether its
-- order allows fewer attempts than before, $3 whether it allows more, $4 how many, $5 the outcomes with a retry rule
-- long
select p.state, p.outcome, case when p.state = 'skipped' then p.reason end as reason, p.uncalled, count(*)::integer as n
from carillon.expected_people($1, $2, $3, $4, $5) p group by 1, 2, 3, 4

-- Whether something of these types waits to be numbered, and the highest number that is given: someone who wants
-- only a few types asks this often, and has the others numbered seldom. $1 types
select exists (select from carillon.outbox o where o.type = any ($1::text[])) as waits, m.last
from carillon.event_marks m

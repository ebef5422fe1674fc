-- What came of these so far. $1 attempts
select h.attempt_id as id, h.outcome, h.detail
from unnest($1::uuid[]) as want(id)
cross join lateral (select x.* from carillon.hang_ups x where x.attempt_id = want.id offset 0) h

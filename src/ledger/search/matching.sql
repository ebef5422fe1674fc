-- Who of these people fits a filter, in their order: see carillon.matching. $1 recipients, $2 filter
select m.id from carillon.matching($1::bigint[], $2::jsonb) m

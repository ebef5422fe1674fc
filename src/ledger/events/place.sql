-- Whether a reader may continue after an event: it is still kept, and it is the one that was numbered at that time. A ledger
-- that was restored gives numbers again, to other events. $1 its number, $2 when it was numbered
select exists (
  select from (select e.first, e.numbered_at from carillon.events e where e.last >= $1 order by e.last limit 1) x
  where x.first <= $1 and x.numbered_at = $2) as kept

-- The events that an address holds back, in order. $1 id
select h.number, h.line, h.tries, h.since, h.next_at as "nextAt" from carillon.webhook_holds h
where h.webhook_id = $1 order by h.number

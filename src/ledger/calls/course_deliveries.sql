-- Deliveries of an attempt's events to webhooks, of the latest ones that are kept of each address. Few are kept, and each
-- names its event, whose number is at its end. $1 attempt, $2 its recipient, $3 from when
select d.at, d.type, w.url, d.try, d.delivered, d.status, d.ms, d.error
from carillon.webhooks w
cross join lateral (
  select x.*, ('x' || lpad(substr(x.event, 17, 12), 16, '0'))::bit(64)::bigint as number
  from carillon.webhook_deliveries x
  where x.webhook_id = w.id and x.at >= $3 and (x.type like 'attempt.%' or x.type like 'recipient.%') offset 0
) d
cross join lateral (
  select e.* from carillon.events e where e.last >= d.number order by e.last limit 1
) e
where e.first <= d.number and e.type = d.type
  and case when e.attempts is not null then e.attempts[d.number - e.first + 1] = $1
    else e.recipients[d.number - e.first + 1] = $2 end
order by d.at limit 100

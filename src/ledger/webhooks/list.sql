-- The addresses as they are, oldest first. `behind` counts events that the address was not told of yet, wanted or not; `held`
-- counts those that wait for an earlier one which it did not take. While some wait, the last failure says why, also of an
-- address that does not count as failing. $1 only this one (null: all)
select w.id, w.url, w.secret, w.events, w.state,
  case when w.reason is null and h.events > 0 then (
    select coalesce(d.error, 'it answered ' || d.status) from carillon.webhook_deliveries d
    where d.webhook_id = w.id and not d.delivered order by d.n desc limit 1
  ) else w.reason end as reason, w.since, w.next_at as "nextAt", w.delivered, w.failed,
  m.last - least(m.last, w.cursor) as behind, h.events as held, h.lines as "heldLines", h.since as "heldSince", w.created_at as "createdAt"
from carillon.event_marks m
join carillon.webhooks w on $1::uuid is null or w.id = $1::uuid
cross join lateral (
  select count(*) as events, count(distinct x.line) as lines, min(x.since) as since from carillon.webhook_holds x where x.webhook_id = w.id
) h
order by w.created_at, w.id

-- Surely not called (429, unreachable, woke too late): the same attempt is planned again, none is spent.
-- $1 [{id, ticket, sent, detail}]: ticket is that of the admission, null for any; sent is false when no request left
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(id uuid, ticket uuid, sent boolean, detail text)
  order by id
), before as (
  select x.*, c.state = 'canceled' as over from answer x
  join lateral (
    select a.id, a.campaign_id from carillon.attempts a
    where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
  join carillon.campaigns c on c.id = b.campaign_id
), moved as (
  update carillon.attempts a
  set state = 'planned', detail = x.detail, requests = a.requests - case when x.sent then 0 else 1 end
  from before x where a.id = x.id and not x.over
  returning a.id, a.phone
), freed as (
  delete from carillon.live_phones p using moved m where p.phone = m.phone and p.attempt_id = m.id
), dropped as (
  select e.id, e.recipient_id from carillon.end_attempts(
    array(select x.id from before x where x.over), '{dialing}', 'dropped', 'canceled', null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    updated_at = now()
  from dropped d where r.id = d.recipient_id
)
select id from moved union all select id from dropped

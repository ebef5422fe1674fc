-- Surely not called (429, unreachable, woke too late): the same attempt is planned again, none is spent.
-- $1 [{id, ticket, sent, detail}]: ticket is that of the admission, null for any; sent is false when no request left
with answer as (
  select * from jsonb_to_recordset($1::jsonb) as x(id uuid, ticket uuid, sent boolean, detail text)
  order by id
), before as (
  select x.* from answer x
  join lateral (
    select a.id from carillon.attempts a
    where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket) for update
  ) b on b.id = x.id
), moved as (
  update carillon.attempts a
  set state = case when c.state = 'canceled' then 'dropped' else 'planned' end,
    reason = case when c.state = 'canceled' then 'canceled' else a.reason end,
    ended_at = case when c.state = 'canceled' then now() end,
    detail = x.detail, requests = a.requests - case when x.sent then 0 else 1 end
  from before x, carillon.campaigns c
  where a.id = x.id and c.id = a.campaign_id
  returning a.id, a.recipient_id, a.state
), people as (
  update carillon.recipients r
  set state = case when m.state = 'planned' then 'queued' when r.outcome is null then 'skipped' else 'done' end,
    reason = case when m.state = 'dropped' then 'campaign canceled' end, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select id from moved

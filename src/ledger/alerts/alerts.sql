-- name: facts
-- Facts for alerts that are kept nowhere else: calls that became unknown, lists and bulk acts that failed, all
-- recently, and webhooks and addresses of alerts that take nothing. There are few live attempts, and the other calls
-- are found by when they were sent. @unsentReason: the reason of an address to which no process sends what is due
select (
  select count(*)::integer from carillon.attempts a
  join carillon.campaigns c on c.id = a.campaign_id
  where a.state = 'unknown' and a.dialing_at > now() - interval '15 minutes' and c.base_url = @baseUrl) as unknown,
  (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'campaign', f.name, 'reason', f.reason)), '[]') from (
    select i.id, c.name, i.reason from carillon.works i
    join carillon.campaigns c on c.id = i.campaign_id
    where i.state = 'failed' and i.since > now() - interval '1 hour' and i.created_at > now() - interval '2 days'
      and c.base_url = @baseUrl
    order by i.created_at desc limit 20) f) as imports,
  (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from (
    select c.id, c.name, (s.tally ->> 'refused')::integer as rejected,
      (select sum(x.value::integer)::integer from jsonb_each_text(s.tally) x
        where x.key in ('refused', 'waiting', 'done', 'parked', 'rejected', 'skipped'))
      + (select coalesce(sum(x.value::integer), 0)::integer from jsonb_each_text(s.live) x) as rows,
      (select j.reason from carillon.rejects j where j.campaign_id = c.id order by j.row, j.id limit 1) as reason
    from carillon.campaigns c join carillon.standings s on s.id = c.id
    where c.kind = 'list' and c.base_url = @baseUrl and c.created_at > now() - interval '1 hour'
      and c.superseded_at is null
      and (s.tally ->> 'refused')::integer >= 10
    order by c.created_at desc limit 20) l where l.rejected * 2 > l.rows) as lists,
  (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'act', f.act, 'reason', f.reason)), '[]') from (
    select b.id, b.kind as act, b.reason from carillon.works b
    where b.state = 'failed' and b.ended_at > now() - interval '1 hour' and b.created_at > now() - interval '2 days'
      and b.base_url = @baseUrl
    order by b.created_at desc limit 20) f) as acts,
  (select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url, 'reason', w.reason)), '[]') from carillon.webhooks w
  where w.state <> 'active') as webhooks,
  (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'reason', d.reason)), '[]') from (
    select a.id, a.kind, case when carillon.unsent_since(a) is null then a.reason else @unsentReason::text end as reason
    from carillon.alert_addresses a) d
  where d.reason is not null) as addresses

-- name: watch
-- Reports what one process sees: see carillon.watch_alerts.
-- @seen: [{code, subject, severity, title, message, remedy, after, hold}]
select carillon.watch_alerts(@seen::jsonb) as changed

-- name: list
-- The alerts that are raised, latest first.
select a.code, a.subject, a.severity, a.title, a.message, a.remedy, a.raised_at as since
from carillon.alerts a
where a.raised_at is not null
order by a.raised_at desc, a.code, a.subject

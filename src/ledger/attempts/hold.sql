-- Plans that the contact rules hold: the people wait until the rule ends, so that nobody waits behind them. Someone whom they
-- let through after all waits for the next round. $1 attempts
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), asked as (
  select array_agg(a.id) as ids, array_agg(a.phone) as phones
  from unnest($1::uuid[]) as x(id) join lateral (
    select a.id, a.phone from carillon.attempts a where a.id = x.id and a.state = 'planned' offset 0) a on a.id = x.id
), held as (
  select a.ids[j.nth] as id, p.version, j.rule, j.until
  from policy p cross join asked a cross join lateral carillon.judge_phones(
    a.phones, a.ids, clock_timestamp(), p.caps, p.gap, p.conversation) j
), moved as (
  select e.id, e.recipient_id
  from carillon.end_attempts($1::uuid[], '{planned}', 'dropped', 'held', null) e
), people as (
  update carillon.recipients r
  set (state, reason) = (select f.state, f.reason from carillon.freed_as(r.campaign_id, r.phone, r.outcome) f),
    held = h.rule, held_under = h.version, next_at = coalesce(h.until, r.next_at), updated_at = now()
  from moved m left join held h on h.id = m.id
  where r.id = m.recipient_id
)
select id from moved

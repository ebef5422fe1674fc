-- People who wait for another attempt, and whom a contact rule will hold longer: they wait for the rule from now on, so that
-- the reason and the time that are told are the true ones. They are judged again when the time has come. $1 people
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), due as materialized (
  select x.id, x.phone from unnest($1::bigint[]) as want(id) cross join lateral (
    select r.id, r.phone from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
    where r.id = want.id and r.state = 'waiting' and r.held is null and r.next_at > now() and not c.ignores_policy
    offset 0
  ) x
), asked as (
  select array_agg(d.id order by d.id) as ids, array_agg(d.phone order by d.id) as phones from due d
), held as materialized (
  select a.ids[j.nth] as id, p.version, j.rule, j.until
  from policy p cross join asked a cross join lateral carillon.judge_phones(
    a.phones, null, clock_timestamp(), p.caps, p.gap, p.conversation) j
)
update carillon.recipients r
set held = h.rule, held_under = h.version, retry_at = r.next_at, next_at = h.until, updated_at = now()
from held h where r.id = h.id and r.state = 'waiting' and r.next_at < h.until
returning r.id

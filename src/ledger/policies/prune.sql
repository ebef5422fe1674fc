-- Forgets calls that are older than every rule of the policy in force, and than a month: a policy that comes later finds some
-- history. $1 how many
with policy as (
  select * from carillon.policies p order by p.version desc limit 1
), oldest as (
  select now() - make_interval(secs => greatest(2678400, p.gap, p.conversation,
    (select max(k.seconds) from jsonb_to_recordset(p.caps) as k(seconds double precision)))) as at
  from (select 1) one left join policy p on true
), gone as (
  delete from carillon.phone_calls c
  where c.ctid = any (array(
    select x.ctid from carillon.phone_calls x where x.ended_at < (select o.at from oldest o) limit $1))
  returning c.phone
)
select count(*)::integer as gone from gone

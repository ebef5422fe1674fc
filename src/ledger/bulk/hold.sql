-- Holds the campaigns of people for the transaction, in their order: what a cancel skips is not freed behind its back.
-- $1 people
select c.id from carillon.campaigns c
where c.id in (
  select x.campaign_id from unnest($1::bigint[]) p(id)
  cross join lateral (select r.campaign_id from carillon.recipients r where r.id = p.id offset 0) x)
order by c.id for share

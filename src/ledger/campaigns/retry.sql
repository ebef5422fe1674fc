-- People who are done with one of these outcomes wait again, and at least one more attempt is allowed for each. Never
-- those who are suppressed, were removed from the list or erased. A batch of the list at a time, so that no call waits behind a long one: returns how many
-- rows it saw, the last of them, and how many people wait.
-- $1 campaign, $2 outcomes, $3 the row and $4 the id after which it begins, $5 how many rows
with campaign as (
  -- In order with a cancel: what waits before it is skipped by it, and after it nobody is freed.
  select c.id from carillon.campaigns c where c.id = $1 and c.state <> 'canceled' for share
), page as materialized (
  select r.id, r.row from carillon.recipients r
  where r.campaign_id = $1 and (r.row, r.id) > ($3::integer, $4::bigint) order by r.row, r.id limit $5
), moved as (
  update carillon.recipients r
  set state = 'waiting', reason = null, held = null, held_under = null, retry_at = null, next_at = now(),
    granted = greatest(r.granted, r.attempts + 1), updated_at = now()
  from page p, campaign c
  where r.id = p.id and r.state = 'done' and r.outcome = any ($2::text[])
    and r.reason is distinct from 'removed' and r.erased_at is null
    and not exists (select from carillon.barring(r.phone, r.campaign_id))
  returning r.id
)
select (select count(*) from page)::integer as seen, (select max(p.row) from page p) as row,
  (select p.id from page p order by p.row desc, p.id desc limit 1) as id, (select count(*) from moved)::integer as retried

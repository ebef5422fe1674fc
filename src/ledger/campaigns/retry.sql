-- People who are done with one of these outcomes are tried again, where they may be: see carillon.try_again. A batch of the
-- list at a time, so that no call waits behind a long one: returns how many rows it saw, the last of them, and how many
-- people wait.
-- $1 campaign, $2 outcomes, $3 the row and $4 the id after which it begins, $5 how many rows
with campaign as (
  -- In order with a cancel: what waits before it is skipped by it, and after it nobody is freed.
  select c.id from carillon.campaigns c where c.id = $1 and c.state <> 'canceled' for share
), page as materialized (
  select r.id, r.row from carillon.recipients r
  where r.campaign_id = $1 and (r.row, r.id) > ($3::integer, $4::bigint) order by r.row, r.id limit $5
), moved as (
  select t.id from carillon.try_again(array(select p.id from page p, campaign c), $2::text[], false) t
)
select (select count(*) from page)::integer as seen, (select max(p.row) from page p) as row,
  (select p.id from page p order by p.row desc, p.id desc limit 1) as id, (select count(*) from moved)::integer as retried

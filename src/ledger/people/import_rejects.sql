-- The rejects of an import that adds to a list. One that was known before stays one: it keeps its place and takes the
-- latest reason. What is accepted now is not a reject any more. Equal rows of one import are told apart by their order.
-- Answers how many rejects there are more than before. $1 campaign, $2 the list's last row before: people behind it are new
with taken as (
  select p.input from stage p
  union all
  select r.input from carillon.recipients r where r.campaign_id = $1 and r.row > $2::integer
), sent as (
  select s.row, s.reason, s.input, row_number() over (partition by s.input order by s.row) as nth
  from stage_rejects s
), sums as (
  select s.input, count(*) as n from stage_rejects s group by s.input
), known as (
  select j.id, j.input, row_number() over (partition by j.input order by j.row, j.id) as nth
  from carillon.rejects j
  where j.campaign_id = $1
    and j.input in (select s.input from stage_rejects s union all select t.input from taken t)
), told as (
  update carillon.rejects j set reason = s.reason
  from known k join sent s on s.input = k.input and s.nth = k.nth
  where j.id = k.id and j.reason <> s.reason
), added as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select $1, s.row, s.reason, s.input
  from sent s left join known k on k.input = s.input and k.nth = s.nth
  where k.id is null order by s.row
  returning id
), gone as (
  delete from carillon.rejects j
  using known k left join sums n on n.input = k.input
  where j.id = k.id and k.nth > coalesce(n.n, 0) and k.input in (select t.input from taken t)
  returning j.id
)
select (select count(*)::integer from added) - (select count(*)::integer from gone) as more

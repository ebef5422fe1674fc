-- The columns of the input of an export's people, of all their campaigns. $1 act
-- long
select distinct on (u.name) u.name, c.created_at as "createdAt", u.nth
from carillon.campaigns c cross join lateral unnest(c.columns) with ordinality as u(name, nth)
where c.id in (
  select r.campaign_id from carillon.bulk_pieces p
  cross join lateral unnest(p.people) as x(id)
  cross join lateral (select y.campaign_id from carillon.recipients y where y.id = x.id offset 0) r
  where p.act_id = $1)
order by u.name, c.created_at, u.nth

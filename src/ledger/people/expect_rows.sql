-- Of a list's phones, those that are on the campaign or must not be called, each with its place among them. Looked up one by
-- one, however long the campaign's list is. $1 to $5 as in expect_list (a campaign that is not there yet is null), $6 phones
-- long
select x.at::integer as at, p.state, p.outcome, p.reason, p.uncalled, p.comes_back as "comesBack", p.refused,
  b.is_barred as "isBarred"
from unnest($6::text[]) with ordinality as x(phone, at)
left join lateral (
  select e.* from carillon.expected_people($1, $2, $3, $4, $5) e where e.phone = x.phone and e.ref = '' offset 0
) p on true
cross join lateral (
  select exists (select from carillon.barring(x.phone, $1)) as is_barred
) b
where p.state is not null or b.is_barred

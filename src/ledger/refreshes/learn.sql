-- What was learned of late fields, added to what was known. $1 lane, $2 outcome, $3 field, $4 came late, $5 never came
insert into carillon.late_fields as f (lane_id, outcome, field, late, vain)
select $1::integer, x.outcome, x.field, x.late, x.vain
from unnest($2::text[], $3::text[], $4::integer[], $5::integer[]) as x(outcome, field, late, vain)
order by x.outcome, x.field
on conflict (lane_id, outcome, field) do update set late = f.late + excluded.late, vain = f.vain + excluded.vain

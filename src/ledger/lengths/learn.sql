-- What a process saw of an agent's calls since it last wrote, added to what all have seen that day.
-- $1 lane, $2 agent, $3 form, $4 [{kind, status, next, counts}]
insert into carillon.call_lengths as l (lane_id, agent, day, form, kind, status, next, counts)
select $1::integer, $2::text, current_date, $3::smallint, x.kind, x.status, x.next, x.counts
from jsonb_to_recordset($4::jsonb) as x(kind text, status text, next text, counts real[])
order by x.kind, x.status, x.next
on conflict (lane_id, agent, day, form, kind, status, next) do update set counts = (
  select array_agg(coalesce(old, 0) + coalesce(new, 0) order by bin)
  from unnest(l.counts, excluded.counts) with ordinality as u(old, new, bin))

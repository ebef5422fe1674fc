-- name: known
-- What was seen of the calls of an agent of this service, or of a lane with any agent: from the newest days that
-- together have enough endings, so that a change is followed.
-- @agent (null: any); @laneId (null: any); @enough: enough endings
with seen as (
  select l.day, l.kind, l.status, l.next, l.counts
  from carillon.age_counts l join carillon.lanes o on o.id = l.lane_id
  where o.base_url = @baseUrl and l.form = @form::smallint
    and (@agent::text is null or l.agent = @agent) and (@laneId::integer is null or l.lane_id = @laneId)
), newer as (
  -- How many endings the days after each one have.
  select d.day, coalesce(sum(d.endings) over (order by d.day desc rows between unbounded preceding and 1 preceding), 0)
    as endings
  from (
    select s.day, coalesce(sum(c) filter (where s.kind = 'ended'), 0) as endings
    from seen s cross join lateral unnest(s.counts) as c group by s.day
  ) d
), total as (
  select s.kind, s.status, s.next, u.bin, sum(u.count) as count
  from seen s join newer n on n.day = s.day and n.endings < @enough::double precision
  cross join lateral unnest(s.counts) with ordinality as u(count, bin)
  group by s.kind, s.status, s.next, u.bin
)
select kind, status, next, to_jsonb(array_agg(count order by bin)) as counts
from total group by kind, status, next

-- name: learn
-- Adds what a process saw of an agent's calls since its last write to the day's counts, which all processes share.
-- @counts: [{kind, status, next, counts}]
insert into carillon.age_counts as l (lane_id, agent, day, form, kind, status, next, counts)
select @laneId::integer, @agent::text, current_date, @form::smallint, x.kind, x.status, x.next, x.counts
from jsonb_to_recordset(@counts::jsonb) as x(kind text, status text, next text, counts real[])
order by x.kind, x.status, x.next
on conflict (lane_id, agent, day, form, kind, status, next) do update set counts = (
  select array_agg(coalesce(old, 0) + coalesce(new, 0) order by bin)
  from unnest(l.counts, excluded.counts) with ordinality as u(old, new, bin))

-- A lane's series. A step shows the latest of each state, the most calls at once, and all requests.
-- $1 lane, $2 the step that is kept, in seconds, $3 from, $4 before, $5 the step that is shown
select carillon.step_of(s.at, $5) as at, (array_agg(s.state order by s.at desc))[1] as state, avg(s.rate) as rate,
  (array_agg(s.believed order by s.at desc))[1] as believed, (array_agg(s.sure order by s.at desc))[1] as sure,
  (array_agg(s.cap order by s.at desc))[1] as cap, bool_or(s.probing) as probing, max(s.calls) as calls,
  sum(s.creates)::double precision as creates, sum(s.polls)::double precision as polls,
  sum(s.updates)::double precision as updates, sum(s.numbers)::double precision as numbers,
  sum(s.refused_rate)::double precision as "refusedRate", sum(s.refused_creates)::double precision as "refusedCreates",
  sum(s.refused_calls)::double precision as "refusedCalls", sum(s.refused_trial)::double precision as "refusedTrial"
from carillon.lane_series s
where s.lane_id = $1 and s.step = $2 and s.at >= $3 and s.at < $4
group by 1 order by 1

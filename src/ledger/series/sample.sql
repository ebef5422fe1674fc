-- Adds what a process saw of its lanes to the ten seconds, and to the minute, that have just passed. What is a state is
-- that of the last process; requests are added up. A lane on which nothing happens writes nothing.
-- $1 [{lane, news, rate, believed, sure, cap, probing, creates, polls, updates, numbers, refused_rate, refused_creates,
-- refused_calls, refused_trial}]; news: it has changed, or has sent requests
insert into carillon.lane_series as t (lane_id, step, at, state, rate, believed, sure, cap, probing, calls, creates, polls,
  updates, numbers, refused_rate, refused_creates, refused_calls, refused_trial)
select l.id, s.step, carillon.step_of(clock_timestamp() - interval '5 seconds', s.step), l.state, x.rate, x.believed, x.sure,
  x.cap, x.probing, n.calls, x.creates, x.polls, x.updates, x.numbers, x.refused_rate, x.refused_creates, x.refused_calls,
  x.refused_trial
from jsonb_to_recordset($1::jsonb) as x(lane integer, news boolean, rate double precision, believed double precision,
  sure double precision, cap integer, probing boolean, creates integer, polls integer, updates integer, numbers integer,
  refused_rate integer, refused_creates integer, refused_calls integer, refused_trial integer)
join carillon.lanes l on l.id = x.lane
cross join lateral (
  select count(*) as calls from carillon.attempts a where a.lane_id = l.id and a.state in ('dialing', 'placed') offset 0
) n
cross join (values (10), (60)) as s(step)
where x.news or n.calls > 0
order by l.id, s.step
on conflict (lane_id, step, at) do update set state = excluded.state, rate = excluded.rate, believed = excluded.believed,
  sure = excluded.sure, cap = excluded.cap, probing = t.probing or excluded.probing,
  calls = greatest(t.calls, excluded.calls), creates = t.creates + excluded.creates, polls = t.polls + excluded.polls,
  updates = t.updates + excluded.updates, numbers = t.numbers + excluded.numbers,
  refused_rate = t.refused_rate + excluded.refused_rate, refused_creates = t.refused_creates + excluded.refused_creates,
  refused_calls = t.refused_calls + excluded.refused_calls, refused_trial = t.refused_trial + excluded.refused_trial

-- name: see
-- Adds what a process saw of campaigns and the ledger does not count: answers with 429, and how late results were
-- known. @samples: [{id, refused, lags, lagSum, lagMax}]
insert into carillon.campaign_series as t (campaign_id, step, at, refused, lags, lag_sum, lag_max)
select c.id, s.step, carillon.step_of(clock_timestamp(), s.step), x.refused, x.lags, x."lagSum", x."lagMax"
from jsonb_to_recordset(@samples::jsonb) as x(id uuid, refused double precision, lags double precision,
  "lagSum" double precision, "lagMax" double precision)
cross join (values (60), (3600)) as s(step)
join carillon.campaigns c on c.id = x.id and c.deleted_at is null
order by c.id, s.step
on conflict (campaign_id, step, at) do update set refused = t.refused + excluded.refused, lags = t.lags + excluded.lags,
  lag_sum = t.lag_sum + excluded.lag_sum, lag_max = greatest(t.lag_max, excluded.lag_max)

-- name: sample
-- Adds what a process saw of its lanes to the ten-second step and the minute that have just passed. The last process's
-- state wins; requests are added up. A lane without activity writes nothing.
-- @rows: [{lane, news, rate, believed, sure, cap, probing, creates, polls, updates, numbers, refused_rate,
-- refused_creates, refused_calls}]; news: it has changed, or has sent requests
insert into carillon.lane_series as t (lane_id, step, at, state, rate, believed, sure, cap, probing, calls, creates, polls,
  updates, numbers, refused_rate, refused_creates, refused_calls)
select l.id, s.step, carillon.step_of(clock_timestamp() - interval '5 seconds', s.step), l.state, x.rate, x.believed, x.sure,
  x.cap, x.probing, n.calls, x.creates, x.polls, x.updates, x.numbers, x.refused_rate, x.refused_creates, x.refused_calls
from jsonb_to_recordset(@rows::jsonb) as x(lane integer, news boolean, rate double precision, believed double precision,
  sure double precision, cap integer, probing boolean, creates integer, polls integer, updates integer, numbers integer,
  refused_rate integer, refused_creates integer, refused_calls integer)
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
  refused_calls = t.refused_calls + excluded.refused_calls

-- name: campaign
-- A campaign's series. @kept: the step that is kept, in seconds; @since: from; @until: before; @step: that is shown
select carillon.step_of(s.at, @step) as at, sum(s.begun) as begun, sum(s.calls) as calls, sum(s.answered) as answered,
  sum(s.voicemail) as voicemail, sum(s.no_answer) as "noAnswer", sum(s.busy) as busy, sum(s.failed) as failed,
  sum(s.canceled) as canceled, sum(s.dropped) as dropped, sum(s.cost) as cost, sum(s.costed) as costed, sum(s.creates) as creates,
  sum(s.polls) as polls, sum(s.refused) as refused, sum(s.lags) as lags, sum(s.lag_sum) as "lagSum",
  max(s.lag_max) as "lagMax"
from carillon.campaign_series s
where s.campaign_id = @campaignId and s.step = @kept and s.at >= @since and s.at < @until
group by 1 order by 1

-- name: last_call
-- The end of the last minute in which a call of a campaign began or ended, and when somebody changed it.
select c.updated_at as "changedAt", (
  select s.at + interval '1 minute' from carillon.campaign_series s
  where s.campaign_id = c.id and s.step = 60 and (s.begun > 0 or s.calls > 0)
  order by s.at desc limit 1) as at
from carillon.campaigns c where c.id = @campaignId

-- name: campaigns
-- What all campaigns did. @since: from; @until: before; @step: that is shown, in seconds: an hour or more
select carillon.step_of(s.at, @step) as at, sum(s.begun) as begun, sum(s.calls) as calls, sum(s.answered) as answered,
  sum(s.voicemail) as voicemail, sum(s.no_answer) as "noAnswer", sum(s.busy) as busy, sum(s.failed) as failed,
  sum(s.canceled) as canceled, sum(s.dropped) as dropped, sum(s.cost) as cost, sum(s.costed) as costed, sum(s.creates) as creates,
  sum(s.polls) as polls, sum(s.refused) as refused, sum(s.lags) as lags, sum(s.lag_sum) as "lagSum",
  max(s.lag_max) as "lagMax"
from carillon.campaign_series s
where s.step = 3600 and s.at >= @since and s.at < @until
group by 1 order by 1

-- name: lane
-- A lane's series. A step shows the latest state, the most calls at once, and all requests.
-- @kept: the step that is kept, in seconds; @since: from; @until: before; @step: that is shown
select carillon.step_of(s.at, @step) as at, (array_agg(s.state order by s.at desc))[1] as state, avg(s.rate) as rate,
  (array_agg(s.believed order by s.at desc))[1] as believed, (array_agg(s.sure order by s.at desc))[1] as sure,
  (array_agg(s.cap order by s.at desc))[1] as cap, bool_or(s.probing) as probing, max(s.calls) as calls,
  sum(s.creates)::double precision as creates, sum(s.polls)::double precision as polls,
  sum(s.updates)::double precision as updates, sum(s.numbers)::double precision as numbers,
  sum(s.refused_rate)::double precision as "refusedRate", sum(s.refused_creates)::double precision as "refusedCreates",
  sum(s.refused_calls)::double precision as "refusedCalls"
from carillon.lane_series s
where s.lane_id = @laneId and s.step = @kept and s.at >= @since and s.at < @until
group by 1 order by 1

-- name: lately
-- Each lane's requests and answers with 429 in the last minute, what its calls cost in the last ten and in the last hour,
-- and for how many seconds of the hour it was closed: a lane without a row is as it was before.
select l.id as lane, m.*, c.cost, c."costHour", h.closed
from carillon.lanes l
cross join lateral (
  select coalesce(sum(s.creates), 0)::integer as creates, coalesce(sum(s.polls), 0)::integer as polls,
    coalesce(sum(s.updates), 0)::integer as updates, coalesce(sum(s.numbers), 0)::integer as numbers,
    coalesce(sum(s.refused_rate), 0)::integer as "refusedRate",
    coalesce(sum(s.refused_creates), 0)::integer as "refusedCreates",
    coalesce(sum(s.refused_calls), 0)::integer as "refusedCalls"
  from carillon.lane_series s where s.lane_id = l.id and s.step = 10 and s.at >= now() - interval '1 minute'
) m
cross join lateral (
  select coalesce(sum(s.cost) filter (where s.at >= now() - interval '10 minutes'), 0) as cost,
    coalesce(sum(s.cost), 0) as "costHour"
  from carillon.lane_series s where s.lane_id = l.id and s.step = 60 and s.at >= now() - interval '1 hour'
) c
cross join lateral (
  select coalesce(sum(extract(epoch from x.till - x.at)) filter (where x.state <> 'open'), 0)::integer as closed
  from (
    select s.state, s.at, lead(s.at, 1, now()) over (order by s.at) as till
    from (
      (select p.state, now() - interval '1 hour' as at from carillon.lane_series p
        where p.lane_id = l.id and p.step = 60 and p.at < now() - interval '1 hour' order by p.at desc limit 1)
      union all
      select p.state, p.at from carillon.lane_series p
      where p.lane_id = l.id and p.step = 60 and p.at >= now() - interval '1 hour'
    ) s
  ) x
) h
where l.base_url = @baseUrl

-- name: limits
-- The believed limits of the lanes: the latest of each step. A lane without a row is as it was before.
-- @since: from; @until: before; @step: that is shown, in seconds
select carillon.step_of(s.at, @step) as at, s.lane_id as lane, (array_agg(s.state order by s.at desc))[1] as state,
  (array_agg(s.believed order by s.at desc))[1] as believed
from carillon.lanes l
join carillon.lane_series s on s.lane_id = l.id and s.step = 60 and s.at >= @since and s.at < @until
group by 1, 2 order by 1

-- name: forget
-- Removes minutes that are older than they are kept. @seconds: how long; @most: how many at most
delete from carillon.campaign_series s where (s.campaign_id, s.step, s.at) in (
  select x.campaign_id, x.step, x.at from carillon.campaign_series x
  where x.step = 60 and x.at < now() - make_interval(secs => @seconds) order by x.at limit @most
)
returning s.step

-- name: forget_lanes
-- Removes samples of lanes that are older than they are kept.
-- @tens: how many seconds those of ten seconds are kept; @minutes: those of a minute; @most: how many of each lane
delete from carillon.lane_series s
using carillon.lanes l, (values (10, @tens::double precision), (60, @minutes)) as k(step, secs),
  lateral (
    select x.at from carillon.lane_series x
    where x.lane_id = l.id and x.step = k.step and x.at < now() - make_interval(secs => k.secs) order by x.at
      limit @most offset 0
  ) o
where s.lane_id = l.id and s.step = k.step and s.at = o.at
returning s.step

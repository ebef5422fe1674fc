-- The counts of reports and costs: these triggers add each call that ended, and what the service adds later, in the same
-- transaction. A report reads a few rows for each campaign, never its calls. An attempt that was given up after it may
-- have rung is no call of a report, but it may have cost something.

-- Whether a call's cost is known: a conversation is not free, so 0 stands for a cost that the service has yet to work out.
create function carillon.knows_cost(cost double precision, outcome text) returns boolean language sql immutable as
$$ select cost is not null and not (cost = 0 and outcome is not distinct from 'answered') $$;

-- Whether a call must have cost something: it was answered, or nobody knows how it ended.
create function carillon.must_cost(outcome text) returns boolean language sql immutable as
$$ select coalesce(outcome in ('answered', 'voicemail', 'dropped'), true) $$;

create function carillon.dialled_day(dialing_at timestamptz, planned_at timestamptz) returns date language sql immutable as
$$ select (coalesce(dialing_at, planned_at) at time zone 'UTC')::date $$;

-- The parts of a call by which a report may be asked.
create function carillon.report_parts(local_hour smallint, local_day date, caller text, agent text, number integer)
returns table (part text, value text) language sql immutable as
$$ values ('hour', coalesce(local_hour::text, '')), ('day', coalesce(to_char(local_day, 'YYYY-MM-DD'), '')), ('caller', caller),
  ('agent', agent), ('attempt', number::text) $$;

-- The date on the person's clock at a time, from the hour of the week on it: the two clocks differ by the hours that
-- lead to that hour, and never by half a week.
create function carillon.local_day(at timestamptz, local_hour smallint) returns date language sql immutable as
$$ select ((at at time zone 'UTC') + make_interval(hours =>
  (local_hour - (extract(isodow from at at time zone 'UTC')::integer - 1) * 24 - extract(hour from at at time zone 'UTC')::integer
    + 252) % 168 - 84))::date $$;

create function carillon.count_report() returns trigger language plpgsql as $$
begin
  insert into carillon.report_deltas (campaign_id, local_hour, local_day, caller, agent, number, outcome, calls, cost, costed,
    seconds, timed, busy, followed, lane_id, day, currency, told, talked, dearest, untold)
  select e.campaign_id, e.local_hour, carillon.local_day(e.placed_at, e.local_hour), carillon.caller_named(e.caller), coalesce(e.agent, ''), e.number,
    coalesce(e.outcome, ''), count(*) filter (where x.done), coalesce(sum(e.cost), 0), count(e.cost) filter (where x.done),
    coalesce(sum(e.duration) filter (where x.done), 0), count(e.duration) filter (where x.done),
    coalesce(sum(extract(epoch from e.ended_at - e.dialing_at)) filter (where x.done and e.was = 'placed'), 0),
    count(*) filter (where x.done and e.was = 'placed'), e.lane_id, carillon.dialled_day(e.dialing_at, e.planned_at),
    coalesce(e.currency, ''), count(*) filter (where x.known), count(*) filter (where x.known and x.talked),
    coalesce(max(e.cost), 0), count(*) filter (where x.talked and not x.known)
  from fresh e
  cross join lateral (select e.state = 'done' as done, carillon.knows_cost(e.cost, e.outcome) as known,
    carillon.must_cost(e.outcome) as talked) x
  where carillon.may_have_rung(e.state, e.reason)
  group by 1, 2, 3, 4, 5, 6, 7, e.lane_id, carillon.dialled_day(e.dialing_at, e.planned_at), e.currency;
  return null;
end $$;
create trigger attempts_reported after insert on carillon.ended_attempts
  referencing new table as fresh for each statement execute function carillon.count_report();

-- Cost, duration and outcome may come late, or change: the old count is taken back, and the new one added.
create function carillon.count_report_again() returns trigger language plpgsql as $$
begin
  insert into carillon.report_deltas (campaign_id, local_hour, local_day, caller, agent, number, outcome, calls, cost, costed,
    seconds, timed, busy, followed, lane_id, day, currency, told, talked, dearest, untold)
  select x.campaign_id, x.local_hour, carillon.local_day(x.placed_at, x.local_hour), carillon.caller_named(x.caller), coalesce(x.agent, ''), x.number,
    coalesce(x.outcome, ''), sum(y.call), sum(x.n * coalesce(x.cost, 0)), sum(y.call * (x.cost is not null)::integer),
    sum(y.call * coalesce(x.duration, 0)), sum(y.call * (x.duration is not null)::integer),
    sum(y.call * case when x.was = 'placed' then extract(epoch from x.ended_at - x.dialing_at) else 0 end),
    sum(y.call * (x.was = 'placed')::integer), x.lane_id, carillon.dialled_day(x.dialing_at, x.planned_at),
    coalesce(x.currency, ''), sum(x.n * y.known::integer), sum(x.n * (y.known and y.talked)::integer),
    -- The dearest stays the dearest.
    coalesce(max(x.cost), 0), sum(x.n * (y.talked and not y.known)::integer)
  from (
    select e.*, 1 as n from fresh e join stale o on o.id = e.id
    where carillon.may_have_rung(e.state, e.reason)
      and (e.cost, e.duration, e.outcome, e.currency) is distinct from (o.cost, o.duration, o.outcome, o.currency)
    union all
    select o.*, -1 from stale o join fresh e on e.id = o.id
    where carillon.may_have_rung(e.state, e.reason)
      and (e.cost, e.duration, e.outcome, e.currency) is distinct from (o.cost, o.duration, o.outcome, o.currency)
  ) x
  cross join lateral (select x.n * (x.state = 'done')::integer as call, carillon.knows_cost(x.cost, x.outcome) as known,
    carillon.must_cost(x.outcome) as talked) y
  group by 1, 2, 3, 4, 5, 6, 7, x.lane_id, carillon.dialled_day(x.dialing_at, x.planned_at), x.currency;
  return null;
end $$;
create trigger attempts_reported_again after update on carillon.ended_attempts
  referencing old table as stale new table as fresh
  for each statement execute function carillon.count_report_again();

-- The sums, with the deltas that are not folded yet.
create view carillon.report_sums as
select campaign_id, part, value, outcome, sum(calls) as calls, sum(cost) as cost, sum(costed) as costed,
  sum(seconds) as seconds, sum(timed) as timed, sum(busy) as busy, sum(followed) as followed
from (
  select * from carillon.report_tallies
  union all
  select d.campaign_id, p.part, p.value, d.outcome, d.calls, d.cost, d.costed, d.seconds, d.timed, d.busy, d.followed
  from carillon.report_deltas d
  cross join lateral carillon.report_parts(d.local_hour, d.local_day, d.caller, d.agent, d.number) p
  -- The others count costs only.
  where (d.calls, d.cost, d.costed, d.seconds, d.timed, d.busy, d.followed) <> (0, 0, 0, 0, 0, 0, 0)
) t group by 1, 2, 3, 4;

-- What calls cost, with the deltas that are not folded yet.
create view carillon.cost_sums as
select base_url, day, campaign_id, agent, currency, sum(told) as told, sum(talked) as talked, sum(cost) as cost,
  sum(untold) as untold, max(dearest) as dearest
from (
  select base_url, day, campaign_id, agent, currency, told, talked, cost, untold, dearest from carillon.costs
  union all
  select l.base_url, d.day, d.campaign_id, d.agent, d.currency, d.told, d.talked, d.cost, d.untold, d.dearest
  from carillon.report_deltas d join carillon.lanes l on l.id = d.lane_id
) t group by 1, 2, 3, 4, 5;

-- Whether answered calls of this length in all were short: people hung up before much was said.
create function carillon.is_short(seconds double precision, calls double precision) returns boolean language sql immutable as
$$ select calls <> 0 and seconds / calls < 10 $$;

-- The start of the step of this many seconds that contains a time.
create function carillon.step_of(at timestamptz, seconds integer) returns timestamptz language sql immutable as
$$ select to_timestamp(floor(extract(epoch from at) / seconds) * seconds) $$;

-- Folds the deltas into the tallies, the costs, and what each lane's calls cost; carillon.fold_tallies calls it, one
-- process at a time. Returns how many there were, and of which campaigns.
create function carillon.fold_report(of_campaigns uuid[]) returns table (folded bigint, campaigns uuid[]) language sql as $$
  with gone as (
    delete from carillon.report_deltas d where of_campaigns is null or d.campaign_id = any (of_campaigns) returning *
  ), kept as (
    insert into carillon.report_tallies as t
    select g.campaign_id, p.part, p.value, g.outcome, sum(g.calls), sum(g.cost), sum(g.costed), sum(g.seconds),
      sum(g.timed), sum(g.busy), sum(g.followed)
    from gone g cross join lateral carillon.report_parts(g.local_hour, g.local_day, g.caller, g.agent, g.number) p
    where (g.calls, g.cost, g.costed, g.seconds, g.timed, g.busy, g.followed) <> (0, 0, 0, 0, 0, 0, 0)
    group by 1, 2, 3, 4
    on conflict (campaign_id, part, value, outcome) do update set calls = t.calls + excluded.calls,
      cost = t.cost + excluded.cost, costed = t.costed + excluded.costed, seconds = t.seconds + excluded.seconds,
      timed = t.timed + excluded.timed, busy = t.busy + excluded.busy, followed = t.followed + excluded.followed
  ), numbers as (
    select g.campaign_id, g.caller, sum(g.calls) as calls, sum(g.calls) filter (where g.outcome = 'answered') as answered,
      sum(g.calls) filter (where g.outcome = 'answered' and not carillon.is_short(g.seconds, g.timed)) as long
    from gone g where g.caller <> '' and g.outcome <> 'canceled' and g.calls <> 0 group by 1, 2
  ), numbered as (
    insert into carillon.caller_tallies as n (campaign_id, name, fresh_calls, fresh_answered, fresh_long)
    select s.campaign_id, coalesce(k.name, s.caller), sum(s.calls), coalesce(sum(s.answered), 0), coalesce(sum(s.long), 0)
    from numbers s cross join lateral carillon.known_number(s.caller) k
    group by 1, 2
    on conflict (campaign_id, name) do update set fresh_calls = n.fresh_calls + excluded.fresh_calls,
      fresh_answered = n.fresh_answered + excluded.fresh_answered, fresh_long = n.fresh_long + excluded.fresh_long
  ), costed as (
    insert into carillon.costs as t (base_url, day, campaign_id, agent, currency, told, talked, cost, untold, dearest)
    select l.base_url, g.day, g.campaign_id, g.agent, g.currency, sum(g.told), sum(g.talked), sum(g.cost),
      sum(g.untold), max(g.dearest)
    from gone g join carillon.lanes l on l.id = g.lane_id
    group by 1, 2, 3, 4, 5 having sum(g.told) <> 0 or sum(g.untold) <> 0 or sum(g.cost) <> 0
    on conflict (base_url, day, campaign_id, agent, currency) do update set told = t.told + excluded.told,
      talked = t.talked + excluded.talked, cost = t.cost + excluded.cost,
      untold = t.untold + excluded.untold, dearest = greatest(t.dearest, excluded.dearest)
  ), laid as (
    select g.lane_id, sum(g.cost) as cost from gone g group by 1 having sum(g.cost) <> 0
  ), minutes as (
    -- The lane's last minute, in which a sample was written while it worked. Locked in the order in which samples are.
    select t.lane_id, t.at from carillon.lane_series t join laid x on x.lane_id = t.lane_id
    where t.step = 60 and t.at = (select max(s.at) from carillon.lane_series s where s.lane_id = x.lane_id and s.step = 60)
    order by t.lane_id for update of t
  ), timed as (
    update carillon.lane_series t set cost = t.cost + x.cost
    from laid x join minutes m on m.lane_id = x.lane_id
    where t.lane_id = m.lane_id and t.step = 60 and t.at = m.at
  ), indebted as (
    select l.id from carillon.lanes l join laid x on x.lane_id = l.id
    where l.credit_spent is not null order by l.id for no key update of l
  ), spent as (
    update carillon.lanes l set credit_spent = l.credit_spent + x.cost
    from laid x join indebted i on i.id = x.lane_id where l.id = i.id
  )
  select count(*), array_agg(distinct g.campaign_id) from gone g
$$;

-- The series: what each campaign did by the minute and by the hour. The loop that folds the tallies keeps it, from the
-- sums that it has folded: each round adds the increase since the round before, in the minute of the round. So a row
-- may be a minute late, and nothing is written where calls are dialled and settled.

-- Adds what is new for these campaigns, and for those that have or had live attempts. There are few live attempts, and
-- they and the tallies are read one after the other: a call that is settled in between is missing for a moment, so what
-- only grows is counted from the highest sum so far.
create function carillon.fold_series(moved uuid[]) returns void language sql as $$
  with live as materialized (
    select a.campaign_id, count(*) as n, count(*) filter (where a.state in ('placed', 'unknown')) as begun,
      sum(a.requests) as creates, sum(a.polls) as polls
    from carillon.attempts a group by 1
  ), touched as materialized (
    select m.id from unnest(moved) as m(id)
    union select l.campaign_id from live l
    union select k.campaign_id from carillon.campaign_marks k where k.live > 0
  ), sums as materialized (
    select t.id, coalesce(l.n, 0) as live,
      greatest(coalesce(l.begun, 0) + n.calls, k.begun, 0) as begun,
      greatest(coalesce(l.creates, 0) + n.creates, k.creates, 0) as creates,
      greatest(coalesce(l.polls, 0) + n.polls, k.polls, 0) as polls,
      r.calls, r.answered, r.voicemail, r.no_answer, r.busy, r.failed, r.canceled, r.dropped, r.cost, r.costed
    from touched t
    join carillon.campaigns c on c.id = t.id
    left join live l on l.campaign_id = t.id
    left join carillon.campaign_marks k on k.campaign_id = t.id
    cross join lateral (
      select coalesce(sum(x.n) filter (where x.name = 'calls'), 0) as calls,
        coalesce(sum(x.n) filter (where x.name = 'requests'), 0) as creates,
        coalesce(sum(x.n) filter (where x.name = 'polls'), 0) as polls
      from carillon.tallies x where x.campaign_id = t.id and x.name in ('calls', 'requests', 'polls') offset 0
    ) n
    cross join lateral (
      select coalesce(sum(x.calls), 0) as calls,
        coalesce(sum(x.calls) filter (where x.outcome = 'answered'), 0) as answered,
        coalesce(sum(x.calls) filter (where x.outcome = 'voicemail'), 0) as voicemail,
        coalesce(sum(x.calls) filter (where x.outcome = 'no-answer'), 0) as no_answer,
        coalesce(sum(x.calls) filter (where x.outcome = 'busy'), 0) as busy,
        coalesce(sum(x.calls) filter (where x.outcome = 'failed'), 0) as failed,
        coalesce(sum(x.calls) filter (where x.outcome = 'canceled'), 0) as canceled,
        coalesce(sum(x.calls) filter (where x.outcome = 'dropped'), 0) as dropped,
        coalesce(sum(x.cost), 0) as cost, coalesce(sum(x.costed), 0) as costed
      from carillon.report_tallies x where x.campaign_id = t.id and x.part = 'attempt' offset 0
    ) r
  ), added as materialized (
    select s.id, s.begun - coalesce(k.begun, 0) as begun, s.calls - coalesce(k.calls, 0) as calls,
      s.answered - coalesce(k.answered, 0) as answered, s.voicemail - coalesce(k.voicemail, 0) as voicemail,
      s.no_answer - coalesce(k.no_answer, 0) as no_answer, s.busy - coalesce(k.busy, 0) as busy,
      s.failed - coalesce(k.failed, 0) as failed, s.canceled - coalesce(k.canceled, 0) as canceled,
      s.dropped - coalesce(k.dropped, 0) as dropped,
      s.cost - coalesce(k.cost, 0) as cost, s.costed - coalesce(k.costed, 0) as costed,
      s.creates - coalesce(k.creates, 0) as creates, s.polls - coalesce(k.polls, 0) as polls,
      s.live is distinct from k.live as moved
    from sums s left join carillon.campaign_marks k on k.campaign_id = s.id
  ), marked as (
    insert into carillon.campaign_marks as k (campaign_id, live, begun, calls, answered, voicemail, no_answer, busy, failed,
      canceled, dropped, cost, costed, creates, polls)
    select s.id, s.live, s.begun, s.calls, s.answered, s.voicemail, s.no_answer, s.busy, s.failed, s.canceled, s.dropped, s.cost,
      s.costed, s.creates, s.polls
    from sums s join added d on d.id = s.id
    where d.moved or (d.begun, d.calls, d.cost, d.costed, d.creates, d.polls) <> (0, 0, 0, 0, 0, 0)
    on conflict (campaign_id) do update set live = excluded.live, begun = excluded.begun, calls = excluded.calls,
      answered = excluded.answered, voicemail = excluded.voicemail, no_answer = excluded.no_answer, busy = excluded.busy,
      failed = excluded.failed, canceled = excluded.canceled, dropped = excluded.dropped, cost = excluded.cost, costed = excluded.costed,
      creates = excluded.creates, polls = excluded.polls
  )
  insert into carillon.campaign_series as t (campaign_id, step, at, begun, calls, answered, voicemail, no_answer, busy,
    failed, canceled, dropped, cost, costed, creates, polls)
  select d.id, s.step, carillon.step_of(clock_timestamp(), s.step), d.begun, d.calls, d.answered, d.voicemail, d.no_answer,
    d.busy, d.failed, d.canceled, d.dropped, d.cost, d.costed, d.creates, d.polls
  from added d, (values (60), (3600)) as s(step)
  where (d.begun, d.calls, d.cost, d.costed, d.creates, d.polls) <> (0, 0, 0, 0, 0, 0)
  order by d.id, s.step
  on conflict (campaign_id, step, at) do update set begun = t.begun + excluded.begun, calls = t.calls + excluded.calls,
    answered = t.answered + excluded.answered, voicemail = t.voicemail + excluded.voicemail,
    no_answer = t.no_answer + excluded.no_answer, busy = t.busy + excluded.busy, failed = t.failed + excluded.failed,
    canceled = t.canceled + excluded.canceled, dropped = t.dropped + excluded.dropped, cost = t.cost + excluded.cost, costed = t.costed + excluded.costed,
    creates = t.creates + excluded.creates, polls = t.polls + excluded.polls
$$;

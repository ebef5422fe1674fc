-- What reports count: these triggers add each call that ended, and what the service tells of it later, in the same
-- transaction. A report reads a few rows for each campaign, never its calls.

-- The parts of a call by which a report may be asked.
create function carillon.report_parts(local_hour smallint, caller text, agent text, number integer)
returns table (part text, value text) language sql immutable as
$$ values ('hour', coalesce(local_hour::text, '')), ('caller', caller), ('agent', agent), ('attempt', number::text) $$;

create function carillon.caller_named(caller jsonb) returns text language sql immutable as
$$ select coalesce(caller ->> 'number', caller ->> 'numberId', '') $$;

create function carillon.count_report() returns trigger language plpgsql as $$
begin
  insert into carillon.report_deltas (campaign_id, local_hour, caller, agent, number, outcome, calls, cost, costed, seconds,
    timed, busy, followed)
  select e.campaign_id, e.local_hour, carillon.caller_named(e.caller), coalesce(e.agent, ''), e.number,
    coalesce(e.outcome, ''), count(*), coalesce(sum(e.cost), 0), count(e.cost), coalesce(sum(e.duration), 0),
    count(e.duration), coalesce(sum(extract(epoch from e.ended_at - e.dialing_at)) filter (where e.was = 'placed'), 0),
    count(*) filter (where e.was = 'placed')
  from fresh e where e.state = 'done'
  group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;
create trigger attempts_reported after insert on carillon.ended_attempts
  referencing new table as fresh for each statement execute function carillon.count_report();

-- Cost and duration may come late, or change.
create function carillon.count_report_again() returns trigger language plpgsql as $$
begin
  insert into carillon.report_deltas (campaign_id, local_hour, caller, agent, number, outcome, calls, cost, costed, seconds,
    timed, busy, followed)
  select e.campaign_id, e.local_hour, carillon.caller_named(e.caller), coalesce(e.agent, ''), e.number,
    coalesce(e.outcome, ''), 0, sum(coalesce(e.cost, 0) - coalesce(o.cost, 0)), count(e.cost) - count(o.cost),
    sum(coalesce(e.duration, 0) - coalesce(o.duration, 0)), count(e.duration) - count(o.duration), 0, 0
  from fresh e join stale o on o.id = e.id
  where e.state = 'done' and (e.cost is distinct from o.cost or e.duration is distinct from o.duration)
  group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;
create trigger attempts_reported_again after update on carillon.ended_attempts
  referencing old table as stale new table as fresh
  for each statement execute function carillon.count_report_again();

-- The current sums.
create view carillon.report_sums as
select campaign_id, part, value, outcome, sum(calls) as calls, sum(cost) as cost, sum(costed) as costed,
  sum(seconds) as seconds, sum(timed) as timed, sum(busy) as busy, sum(followed) as followed
from (
  select * from carillon.report_tallies
  union all
  select d.campaign_id, p.part, p.value, d.outcome, d.calls, d.cost, d.costed, d.seconds, d.timed, d.busy, d.followed
  from carillon.report_deltas d
  cross join lateral carillon.report_parts(d.local_hour, d.caller, d.agent, d.number) p
) t group by 1, 2, 3, 4;

-- Folds the deltas into the tallies; carillon.fold_tallies calls it, one process at a time. Returns how many they were,
-- and of which campaigns.
create function carillon.fold_report() returns table (folded bigint, campaigns uuid[]) language sql as $$
  with gone as (
    delete from carillon.report_deltas returning *
  ), kept as (
    insert into carillon.report_tallies as t
    select g.campaign_id, p.part, p.value, g.outcome, sum(g.calls), sum(g.cost), sum(g.costed), sum(g.seconds),
      sum(g.timed), sum(g.busy), sum(g.followed)
    from gone g cross join lateral carillon.report_parts(g.local_hour, g.caller, g.agent, g.number) p
    group by 1, 2, 3, 4
    on conflict (campaign_id, part, value, outcome) do update set calls = t.calls + excluded.calls,
      cost = t.cost + excluded.cost, costed = t.costed + excluded.costed, seconds = t.seconds + excluded.seconds,
      timed = t.timed + excluded.timed, busy = t.busy + excluded.busy, followed = t.followed + excluded.followed
  )
  select count(*), array_agg(distinct g.campaign_id) from gone g
$$;

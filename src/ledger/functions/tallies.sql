-- The tallies: these triggers count each row that moves, in the same transaction. The verbs that add people count them
-- themselves, because a trigger would have to hold a whole import.

create function carillon.count_moved_people() returns trigger language plpgsql as $$
begin
  insert into carillon.tally_deltas (campaign_id, name, n)
  select m.campaign_id, t.name, sum(m.n) from (
    -- Equal moves are counted first: few are left, and each counts under several names.
    select x.campaign_id, x.state, x.outcome, x.is_first, sum(x.n) as n from (
      select campaign_id, state, outcome, is_first, 1 as n from fresh
      union all
      select campaign_id, state, outcome, is_first, -1 from stale
    ) x group by 1, 2, 3, 4 having sum(x.n) <> 0
  ) m
  cross join lateral (values (m.state), (case when m.state = 'done' then 'outcome:' || m.outcome end),
    (case when m.is_first then 'first:' || m.outcome end)) as t(name)
  where t.name is not null
  group by 1, 2 having sum(m.n) <> 0;
  return null;
end $$;
create trigger recipients_counted after update on carillon.recipients
  referencing old table as stale new table as fresh
  for each statement execute function carillon.count_moved_people();

-- `called` are people with an ended call, and `reached` those with an answered one: each is counted with the first such
-- call, when the person has no others. The setting is for plans made while the table was small.
create function carillon.count_ended_attempts() returns trigger language plpgsql
set enable_seqscan = off
as $$
begin
  insert into carillon.tally_deltas (campaign_id, name, n)
  select e.campaign_id, x.name, x.n from (
    select campaign_id, sum(requests) as requests, sum(polls) as polls, sum(cost) as cost,
      count(*) filter (where state = 'done') as calls,
      count(*) filter (where state = 'done' and outcome = 'answered') as answered,
      -- Each counts as an attempt of its person, and the one that follows it as another.
      count(*) filter (where state = 'dropped' and reason = 'redialed') as redialed
    from fresh group by 1
  ) e, lateral (values ('requests', e.requests), ('polls', e.polls), ('cost', e.cost), ('calls', e.calls),
    ('answered', e.answered), ('redialed', e.redialed)) as x(name, n)
  where x.n <> 0 or (x.name = 'cost' and x.n is not null)
  union all
  select p.campaign_id, x.name, sum(x.n) from (
    select campaign_id, recipient_id, max(number) as last, count(*) as calls,
      count(*) filter (where outcome = 'answered') as answered
    from fresh where state = 'done' group by 1, 2
  ) p
  cross join lateral (
    select count(*) as calls, count(*) filter (where d.outcome = 'answered') as answered
    from carillon.ended_attempts d where p.last > 1 and d.recipient_id = p.recipient_id and d.state = 'done'
  ) whole
  cross join lateral (values
    ('called', (p.last = 1 or whole.calls = p.calls)::integer),
    ('reached', (p.answered > 0 and (p.last = 1 or whole.answered = p.answered))::integer)) as x(name, n)
  where x.n > 0
  group by 1, 2;
  return null;
end $$;
create trigger attempts_counted after insert on carillon.ended_attempts
  referencing new table as fresh for each statement execute function carillon.count_ended_attempts();

-- Counts the judgements of the first people's calls.
create function carillon.count_judgements() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.is_first then
    insert into carillon.tally_deltas (campaign_id, name, n) values (old.campaign_id, 'judged:' || old.judgement, -1);
  end if;
  if tg_op <> 'DELETE' and new.is_first then
    insert into carillon.tally_deltas (campaign_id, name, n) values (new.campaign_id, 'judged:' || new.judgement, 1);
  end if;
  return null;
end $$;
create trigger judgements_counted after insert or delete or update of judgement on carillon.judgements
  for each row execute function carillon.count_judgements();

-- The tallies, with the deltas that are not folded yet.
create view carillon.counts as
select campaign_id, name, sum(n) as n from (
  select campaign_id, name, n from carillon.tallies
  union all
  select campaign_id, name, n from carillon.tally_deltas
) t group by 1, 2;

-- The counts of each campaign: its tallies, and its few live attempts, counted one by one. `currency`: that of its costs;
-- null where none is told, or several are. It comes with the costs that are folded.
create view carillon.standings as
select c.id, t.tally, l.live, l.requests, l.polls,
  (select max(k.currency) from carillon.costs k where k.campaign_id = c.id and k.told > 0 and k.cost <> 0
      and k.currency <> ''
    having count(distinct k.currency) = 1) as currency
from carillon.campaigns c
cross join lateral (
  select coalesce(jsonb_object_agg(n.name, n.n), '{}') as tally from carillon.counts n where n.campaign_id = c.id
) t
cross join lateral (
  select coalesce(jsonb_object_agg(s.state, s.n), '{}') as live, coalesce(sum(s.requests), 0)::integer as requests,
    coalesce(sum(s.polls), 0)::integer as polls
  from (select a.state, count(*)::integer as n, sum(a.requests) as requests, sum(a.polls) as polls
    from carillon.attempts a where a.campaign_id = c.id group by 1) s
) l;

-- Folds the deltas into the tallies, so that readers need few rows. One process at a time. of_campaigns: of these campaigns (null:
-- of all), where a row of another one fails the rest.
create function carillon.fold_tallies(of_campaigns uuid[]) returns bigint language plpgsql as $$
declare
  folded bigint;
  moved uuid[];
  reported record;
begin
  -- Some campaigns alone are folded after a fold failed. That one may still hold the lock: a server tells an error
  -- before it gives up the transaction.
  if of_campaigns is not null then
    perform pg_advisory_xact_lock(hashtext('carillon tallies'));
  elsif not pg_try_advisory_xact_lock(hashtext('carillon tallies')) then
    return 0;
  end if;
  with gone as (
    delete from carillon.tally_deltas d where of_campaigns is null or d.campaign_id = any (of_campaigns) returning campaign_id, name, n
  ), sums as (
    select campaign_id, name, sum(n) as n, count(*) as rows from gone group by 1, 2
  ), kept as (
    insert into carillon.tallies as t (campaign_id, name, n)
    select campaign_id, name, n from sums
    on conflict (campaign_id, name) do update set n = t.n + excluded.n
  )
  select coalesce(sum(rows), 0), array_agg(distinct campaign_id) into folded, moved from sums;
  select * into reported from carillon.fold_report(of_campaigns);
  perform carillon.fold_series(moved || reported.campaigns);
  return folded + reported.folded + carillon.fold_waiting(of_campaigns);
end $$;

-- The people who wait, counted by what decides until when: the place, the time of the next attempt, how many there
-- were, and what holds the row. These triggers count each row that begins or stops waiting, in the same
-- transaction.

-- Times are counted in steps of five minutes: retries come at any second, and the counts must stay few.
create function carillon.due_step(next_at timestamptz) returns timestamptz language sql immutable as
$$ select case when next_at = '-infinity' then next_at
  else date_bin('5 minutes', next_at, timestamptz '2000-01-01 00:00:00+00') end $$;

create function carillon.count_waiting() returns trigger language plpgsql as $$
begin
  -- Most moves are of people who do not wait: looking for one that does is cheaper than counting.
  if not exists (select from fresh where state = 'waiting') and not exists (select from stale where state = 'waiting') then
    return null;
  end if;
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select m.campaign_id, m.place, m.due, m.attempts, m.held, sum(m.n) from (
    select campaign_id, place, carillon.due_step(next_at) as due, attempts,
      coalesce(carillon.held_by(held, callback_at), '') as held, 1 as n
    from fresh where state = 'waiting'
    union all
    select campaign_id, place, carillon.due_step(next_at), attempts,
      coalesce(carillon.held_by(held, callback_at), ''), -1
    from stale where state = 'waiting'
  ) m group by 1, 2, 3, 4, 5 having sum(m.n) <> 0;
  return null;
end $$;
create trigger recipients_waits after update on carillon.recipients
  referencing old table as stale new table as fresh
  for each statement execute function carillon.count_waiting();

-- The counts, with the deltas that are not folded yet.
create view carillon.waiting_sums as
select campaign_id, place, due, attempts, held, sum(n) as n from (
  select * from carillon.waiting_tallies
  union all
  select * from carillon.waiting_deltas
) t group by 1, 2, 3, 4, 5 having sum(n) <> 0;

-- Folds the deltas into the tallies; carillon.fold_tallies calls it, one process at a time. A count that has come to
-- nothing, as time passed, is deleted.
create function carillon.fold_waiting(of_campaigns uuid[]) returns bigint language plpgsql as $$
declare
  folded bigint;
begin
  with gone as (
    delete from carillon.waiting_deltas d where of_campaigns is null or d.campaign_id = any (of_campaigns) returning *
  ), kept as (
    insert into carillon.waiting_tallies as t (campaign_id, place, due, attempts, held, n)
    select campaign_id, place, due, attempts, held, sum(n) from gone group by 1, 2, 3, 4, 5 having sum(n) <> 0
    on conflict (campaign_id, place, due, attempts, held) do update set n = t.n + excluded.n
  )
  select count(*) into folded from gone;
  delete from carillon.waiting_tallies where n = 0;
  return folded;
end $$;

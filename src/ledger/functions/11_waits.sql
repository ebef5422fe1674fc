-- Who waits, counted by what decides until when: the place, the time of the next attempt, how many there were, and the
-- rule that holds the row. These triggers add each row that comes to wait or ceases to, in the same transaction.

-- Times are counted by five minutes: retries come at any second, and the counts must stay few.
create function carillon.due_step(next_at timestamptz) returns timestamptz language sql immutable as
$$ select case when next_at = '-infinity' then next_at
  else date_bin('5 minutes', next_at, timestamptz '2000-01-01 00:00:00+00') end $$;

create function carillon.count_waiting() returns trigger language plpgsql as $$
begin
  -- Most moves are of people who do not wait: to look for one that does is cheaper than to count.
  if not exists (select from fresh where state = 'waiting') and not exists (select from stale where state = 'waiting') then
    return null;
  end if;
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select m.campaign_id, m.place, m.due, m.attempts, m.held, sum(m.n) from (
    select campaign_id, place, carillon.due_step(next_at) as due, attempts, coalesce(held, '') as held, 1 as n
    from fresh where state = 'waiting'
    union all
    select campaign_id, place, carillon.due_step(next_at), attempts, coalesce(held, ''), -1
    from stale where state = 'waiting'
  ) m group by 1, 2, 3, 4, 5 having sum(m.n) <> 0;
  return null;
end $$;
create trigger recipients_waits after update on carillon.recipients
  referencing old table as stale new table as fresh
  for each statement execute function carillon.count_waiting();

-- The current counts.
create view carillon.waiting_sums as
select campaign_id, place, due, attempts, held, sum(n) as n from (
  select * from carillon.waiting_tallies
  union all
  select * from carillon.waiting_deltas
) t group by 1, 2, 3, 4, 5 having sum(n) <> 0;

-- Folds the deltas into the tallies; carillon.fold_tallies calls it, one process at a time. Times pass, and what is
-- counted of them comes to nothing: then it is deleted.
create function carillon.fold_waiting() returns bigint language plpgsql as $$
declare
  folded bigint;
begin
  with gone as (
    delete from carillon.waiting_deltas returning *
  ), kept as (
    insert into carillon.waiting_tallies as t (campaign_id, place, due, attempts, held, n)
    select campaign_id, place, due, attempts, held, sum(n) from gone group by 1, 2, 3, 4, 5 having sum(n) <> 0
    on conflict (campaign_id, place, due, attempts, held) do update set n = t.n + excluded.n
  )
  select count(*) into folded from gone;
  delete from carillon.waiting_tallies where n = 0;
  return folded;
end $$;

-- Budgets: what a campaign's calls may cost, and what all calls of a service may cost in a day or a month, in UTC. Spent is
-- what ended calls cost; reserved is what calls under way, and ended calls whose cost is not told yet, are likely to
-- cost. Nothing is kept that an end could forget to give back: what is reserved is read from the live attempts.

-- Whether a call's cost is known: a conversation is not free, so 0 stands for a cost that the service has yet to work out.
create function carillon.knows_cost(cost double precision, outcome text) returns boolean language sql immutable as
$$ select cost is not null and not (cost = 0 and outcome is not distinct from 'answered') $$;

-- Whether a call must have cost something: it was answered, or nobody knows how it ended.
create function carillon.must_cost(outcome text) returns boolean language sql immutable as
$$ select coalesce(outcome in ('answered', 'voicemail', 'dropped'), true) $$;

create function carillon.count_costs() returns trigger language plpgsql as $$
begin
  insert into carillon.cost_deltas (base_url, day, campaign_id, agent, currency, told, talked, cost, squares, untold)
  select l.base_url, (coalesce(e.dialing_at, e.planned_at) at time zone 'UTC')::date, e.campaign_id, coalesce(e.agent, ''), coalesce(e.currency, ''),
    count(*) filter (where x.known), count(*) filter (where x.known and x.talked), coalesce(sum(e.cost), 0),
    coalesce(sum(e.cost * e.cost), 0), count(*) filter (where x.talked and not x.known)
  from fresh e
  join carillon.lanes l on l.id = e.lane_id
  cross join lateral (
    select carillon.knows_cost(e.cost, e.outcome) as known, carillon.must_cost(e.outcome) as talked) x
  where carillon.may_have_rung(e.state, e.reason) and (x.known or x.talked)
  group by 1, 2, 3, 4, 5;
  return null;
end $$;
create trigger attempts_costed after insert on carillon.ended_attempts
  referencing new table as fresh for each statement execute function carillon.count_costs();

-- A cost may come late, or change: the old count is taken back, and the new one added.
create function carillon.count_cost_again() returns trigger language plpgsql as $$
begin
  insert into carillon.cost_deltas (base_url, day, campaign_id, agent, currency, told, talked, cost, squares, untold)
  select l.base_url, (coalesce(new.dialing_at, new.planned_at) at time zone 'UTC')::date, new.campaign_id, coalesce(new.agent, ''),
    coalesce(x.currency, ''), x.n * y.known::integer, x.n * (y.known and y.talked)::integer, x.n * coalesce(x.cost, 0),
    x.n * coalesce(x.cost * x.cost, 0), x.n * (y.talked and not y.known)::integer
  from (values (-1, old.cost, old.outcome, old.currency), (1, new.cost, new.outcome, new.currency)) as x(n, cost, outcome, currency)
  cross join lateral (
    select carillon.knows_cost(x.cost, x.outcome) as known, carillon.must_cost(x.outcome) as talked) y
  join carillon.lanes l on l.id = new.lane_id;
  return null;
end $$;
create trigger attempts_costed_again after update of cost, outcome, currency on carillon.ended_attempts
  for each row when (carillon.may_have_rung(new.state, new.reason)
    and (old.cost, old.outcome, old.currency) is distinct from (new.cost, new.outcome, new.currency))
  execute function carillon.count_cost_again();

-- The sums, with the deltas that are not folded yet.
create view carillon.cost_sums as
select base_url, day, campaign_id, agent, currency, sum(told) as told, sum(talked) as talked, sum(cost) as cost,
  sum(squares) as squares, sum(untold) as untold
from (
  select * from carillon.costs
  union all
  select * from carillon.cost_deltas
) t group by 1, 2, 3, 4, 5;

-- Folds the deltas into the sums; carillon.fold_tallies calls it, one process at a time.
create function carillon.fold_costs() returns bigint language plpgsql as $$
declare
  folded bigint;
begin
  with gone as (
    delete from carillon.cost_deltas returning *
  ), kept as (
    insert into carillon.costs as t
    select base_url, day, campaign_id, agent, currency, sum(told), sum(talked), sum(cost), sum(squares), sum(untold)
    from gone group by 1, 2, 3, 4, 5
    on conflict (base_url, day, campaign_id, agent, currency) do update set told = t.told + excluded.told,
      talked = t.talked + excluded.talked, cost = t.cost + excluded.cost, squares = t.squares + excluded.squares,
      untold = t.untold + excluded.untold
  )
  select count(*) into folded from gone;
  return folded;
end $$;

-- A budget at one moment. `calls`: under way, or ended without a known cost; `owed`: what they are likely to cost;
-- `price`: what one more is likely to cost (null: nothing is known of any call yet), by so many calls (`known`), whose
-- costs are so far from it (`spread`); `awaits`: the first costs may still be told; `mixed`: costs are told in several
-- currencies; `until`: when the period ends (null: a campaign's budget has no end).
create type carillon.purse as (
  kind text, most double precision, spent double precision, calls integer, owed double precision, price double precision,
  spread double precision, known double precision, awaits boolean, mixed boolean, currency text, until timestamptz);

-- What a call is likely to cost: the mean of the campaign's own ended calls, else of its agents', else of the service's, of the
-- last month. Where they are few, whichever of the three leads to the highest careful value is taken. Calls that nobody
-- answered say little: without one that was, nothing is known.
create function carillon.price_of(
  service text, of_campaign uuid, agents text[], out price double precision, out spread double precision, out known double precision)
language plpgsql stable as $$
declare
  -- With so many answered calls, the others are not asked.
  enough constant integer := 10;
  since constant date := (now() at time zone 'UTC')::date - 30;
  seen record;
  mean double precision;
  own double precision;
  careful double precision := 0;
begin
  for level in 1..3 loop
    if level = 1 then
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares into seen
      from carillon.cost_sums c where c.campaign_id = of_campaign;
    elsif level = 2 then
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares into seen
      from carillon.cost_sums c where c.base_url = service and c.agent = any (agents) and c.day > since;
    else
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares into seen
      from carillon.cost_sums c where c.base_url = service and c.day > since;
    end if;
    if seen.talked > 0 and seen.cost > 0 then
      mean := seen.cost / seen.n;
      -- One more call, as far off as the mean is high: a single call has no spread of its own.
      own := sqrt((greatest(0, seen.squares - seen.n * mean * mean) + mean * mean) / seen.n);
      if mean + 3 * own / sqrt(seen.n) > careful then
        careful := mean + 3 * own / sqrt(seen.n);
        price := mean;
        spread := own;
        known := seen.n;
      end if;
    end if;
    exit when seen.talked >= enough;
  end loop;
end $$;

-- A purse of the costs that a budget counts, and of the live attempts of its calls.
create function carillon.purse_from(
  kind text, most double precision, costs carillon.cost_sums[], live double precision[], price double precision,
  spread double precision, known double precision, awaits boolean, until timestamptz)
returns carillon.purse language sql immutable as $$
  select (kind, most, s.spent, cardinality(live) + case when price is null then 0 else s.untold end,
    o.owed + coalesce(s.untold * price, 0), price, spread, known, awaits, s.currencies > 1, s.currency, until)::carillon.purse
  from (
    select coalesce(sum(c.cost), 0) as spent, coalesce(sum(c.untold), 0)::integer as untold,
      count(distinct nullif(c.currency, '')) filter (where c.cost <> 0) as currencies,
      max(nullif(c.currency, '')) filter (where c.cost <> 0) as currency
    from unnest(costs) c
  ) s cross join (select coalesce(sum(coalesce(x, price, 0)), 0) as owed from unnest(live) as x) o
$$;

-- The budget of a campaign, and what its next call is likely to cost, also where it has no budget of its own (most null).
create function carillon.campaign_purse(of_campaign uuid) returns carillon.purse language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  campaign carillon.campaigns%rowtype;
  priced record;
begin
  select * into campaign from carillon.campaigns c where c.id = of_campaign;
  select * into priced from carillon.price_of(campaign.base_url, of_campaign,
    array(select a ->> 'id' from jsonb_array_elements(campaign.terms -> 'agents') as a));
  return carillon.purse_from('campaign', campaign.max_cost,
    array(select c from carillon.cost_sums c where c.campaign_id = of_campaign),
    array(select a.likely_cost from carillon.attempts a
      where a.campaign_id = of_campaign and a.state in ('dialing', 'placed', 'unknown')),
    priced.price, priced.spread, priced.known, priced.price is null and exists (
      select from carillon.ended_attempts e join carillon.refreshes f on f.attempt_id = e.id
      where e.campaign_id = of_campaign and f.tries < 4 and 'cost' = any (f.fields)), null);
end $$;

-- The budgets that hold for every call of a service: the lowest that a living process was given.
create function carillon.service_budget(service text, out day double precision, out month double precision)
language sql stable as $$
  select min(b.day), min(b.month) from carillon.budgets b
  where b.base_url = service and carillon.process_lives(b.seen_at)
$$;

-- The purses of these. A call counts in the day and the month in which it was dialled, by the ledger's clock.
create function carillon.service_purses(service text) returns setof carillon.purse language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  budget record;
  period record;
  priced record;
begin
  select * into budget from carillon.service_budget(service);
  if budget.day is null and budget.month is null then return; end if;
  select * into priced from carillon.price_of(service, null, null);
  for period in
    select k.kind, k.most, date_trunc(k.kind, clock_timestamp() at time zone 'UTC') as since, ('1 ' || k.kind)::interval as long
    from (values ('day', budget.day), ('month', budget.month)) as k(kind, most) where k.most is not null
  loop
    return next carillon.purse_from(period.kind, period.most,
      array(select c from carillon.cost_sums c where c.base_url = service and c.day >= period.since::date),
      array(select a.likely_cost from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
        where l.base_url = service and a.state in ('dialing', 'placed', 'unknown')
          and a.dialing_at >= period.since at time zone 'UTC'),
      priced.price, priced.spread, priced.known, priced.price is null and exists (
        select from carillon.refreshes f join carillon.lanes l on l.id = f.lane_id
        where l.base_url = service and f.tries < 4 and 'cost' = any (f.fields)), (period.since + period.long) at time zone 'UTC');
  end loop;
end $$;

-- What so many calls together may cost more than is likely: their costs vary, and the mean is known from few calls or many. Of
-- a single call nothing is added, so that the last one that fits is made.
create function carillon.margin(p carillon.purse, calls integer) returns double precision language sql immutable as
$$ select coalesce(greatest(0, 3 * p.spread * (sqrt(calls + calls * calls / p.known) - sqrt(1 + 1 / p.known))), 0) $$;

-- What a purse holds back for calls that are not paid yet.
create function carillon.reserved_in(p carillon.purse) returns double precision language sql immutable as
$$ select p.owed + carillon.margin(p, p.calls) $$;

-- Whether so many more calls fit, each at a price. Before any call's cost is known, one is made at a time.
create function carillon.fits(p carillon.purse, price double precision, more integer) returns boolean language sql immutable as
$$ select case
    when p.most is null then true
    when p.mixed then false
    when price is null then more = 1 and p.calls = 0 and not p.awaits and p.spent < p.most
    else p.spent + p.owed + more * price + carillon.margin(p, p.calls + more) <= p.most * (1 + 1e-9)
  end $$;

-- How many more calls fit, at most so many.
create function carillon.calls_left(p carillon.purse, price double precision, wanted integer) returns integer
language sql immutable as
$$ select case when p.most is null then wanted else (
  select count(*)::integer from generate_series(1, wanted) k where carillon.fits(p, price, k)) end $$;

-- Whether a campaign's calls have any budget.
create function carillon.has_budget(service text, max_cost double precision) returns boolean language sql stable as
$$ select max_cost is not null or exists (select from carillon.budgets b
  where b.base_url = service and carillon.process_lives(b.seen_at)) $$;

-- How many more calls of a campaign its budget and its service's allow, besides those that are planned; null: any number.
create function carillon.affordable(of_campaign uuid, service text, max_cost double precision, wanted integer)
returns integer language plpgsql stable as $$
declare
  own carillon.purse;
begin
  if not carillon.has_budget(service, max_cost) then return null; end if;
  own := carillon.campaign_purse(of_campaign);
  return (select min(carillon.calls_left(p, own.price, wanted)) from (
      select own.* union all select s.* from carillon.service_purses(service) s) p)
    - (select count(*) from carillon.attempts a where a.campaign_id = of_campaign and a.state = 'planned');
end $$;

-- The budget that lets no further call of a campaign pass, and until when; nothing where one fits.
create function carillon.budget_wait(of_campaign uuid, out kind text, out until timestamptz) language plpgsql stable as $$
declare
  campaign carillon.campaigns%rowtype;
  own carillon.purse;
begin
  select * into campaign from carillon.campaigns c where c.id = of_campaign;
  if not carillon.has_budget(campaign.base_url, campaign.max_cost) then return; end if;
  own := carillon.campaign_purse(of_campaign);
  select p.kind, p.until into kind, until
  from (select own.* union all select s.* from carillon.service_purses(campaign.base_url) s) p
  where not carillon.fits(p, own.price, 1)
  order by p.until desc nulls first limit 1;
end $$;

-- Judges money in the fence: which of these attempts fit their budgets, in order, and what each is likely to cost. The
-- campaigns with a budget are locked; those of the service are locked here.
create function carillon.afford(judged carillon.wanted[], wanted uuid[]) returns table (attempt uuid, likely double precision)
language plpgsql as $$
declare
  service text;
  shared carillon.purse[] := '{}';
  own carillon.purse;
  entry record;
  id uuid;
begin
  select c.base_url into service from carillon.campaigns c where c.id = judged[1].campaign_id;
  if exists (select from carillon.budgets b where b.base_url = service) then
    perform pg_advisory_xact_lock(hashtext('carillon budget'), hashtext(service));
    shared := array(select s from carillon.service_purses(service) s);
  end if;
  for entry in
    select j.of, array_agg(j.id order by j.nth) as ids
    from unnest(judged) with ordinality as j(id, revision, opens, ticket, agent, policy, closes, hash, of, phone, keeps, bound, say, nth)
    where j.id = any (wanted) group by j.of order by j.of
  loop
    own := carillon.campaign_purse(entry.of);
    foreach id in array entry.ids loop
      exit when not carillon.fits(own, own.price, 1)
        or exists (select from unnest(shared) s where not carillon.fits(s, own.price, 1));
      attempt := id;
      likely := own.price;
      return next;
      own.calls := own.calls + 1;
      own.owed := own.owed + coalesce(own.price, 0);
      for i in 1..cardinality(shared) loop
        shared[i].calls := shared[i].calls + 1;
        shared[i].owed := shared[i].owed + coalesce(own.price, 0);
      end loop;
    end loop;
  end loop;
end $$;

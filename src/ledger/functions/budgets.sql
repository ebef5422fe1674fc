-- Budgets: what a campaign's calls may cost, and what all calls of a service may cost in a day or a month, in UTC. Spent is
-- what ended calls cost; reserved is what calls under way may cost, and what calls whose cost is not told are likely to
-- cost. Nothing is kept that an end could forget to give back: what is reserved is read from the live attempts.

-- What is known of the costs of calls. `price`: what one more is likely to cost (null: nothing is known of any call yet);
-- `heavy`: what a call under way is likely to cost, which is more, because dear calls are long and so more often under way;
-- `dearest`: the most that one has cost; `told`: of so many calls; `talked`: of which so many were answered.
create type carillon.prices as (
  price double precision, heavy double precision, dearest double precision, told double precision, talked double precision);

-- A budget at one moment. `calls`: under way; `owed`: what calls that are not under way and whose cost is not told are
-- likely to cost; `awaits`: the first costs may still be told; `mixed`: costs are told in several currencies; `until`:
-- when the period ends (null: a campaign's budget has no end).
create type carillon.purse as (
  kind text, most double precision, spent double precision, calls integer, owed double precision, prices carillon.prices,
  awaits boolean, mixed boolean, currency text, until timestamptz);

-- What is known of the costs of a campaign's calls: of its own, and where they are few, of its agents' and of all of the
-- service's in the last month too, whichever are dearer. Calls that nobody answered say little: without one that was,
-- nothing is known.
create function carillon.prices_of(service text, of_campaign uuid, agents text[]) returns carillon.prices
language plpgsql stable as $$
declare
  -- With so many answered calls, the others are not asked.
  enough constant integer := 10;
  since constant date := (now() at time zone 'UTC')::date - 30;
  seen record;
  known carillon.prices;
begin
  for level in 1..3 loop
    if level = 1 then
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares,
        max(c.dearest) as dearest into seen
      from carillon.cost_sums c where c.campaign_id = of_campaign;
    elsif level = 2 then
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares,
        max(c.dearest) as dearest into seen
      from carillon.cost_sums c where c.base_url = service and c.agent = any (agents) and c.day > since;
    else
      select sum(c.told) as n, sum(c.talked) as talked, sum(c.cost) as cost, sum(c.squares) as squares,
        max(c.dearest) as dearest into seen
      from carillon.cost_sums c where c.base_url = service and c.day > since;
    end if;
    if seen.talked > 0 and seen.cost > 0 then
      known := (greatest(known.price, seen.cost / seen.n), greatest(known.heavy, seen.squares / seen.cost),
        -- Of costs that were counted before the dearest was kept, one was at least their heavy mean.
        greatest(known.dearest, seen.dearest, seen.squares / seen.cost), greatest(known.told, seen.n), greatest(known.talked, seen.talked));
    end if;
    exit when seen.talked >= enough;
  end loop;
  return known;
end $$;

-- A purse of the costs that a budget counts, and of how many of its calls are under way, and how many in doubt.
create function carillon.purse_from(
  kind text, most double precision, costs carillon.cost_sums[], under_way bigint, in_doubt bigint, prices carillon.prices,
  awaits boolean, until timestamptz)
returns carillon.purse language sql immutable as $$
  select (kind, most, s.spent, under_way + case when prices.price is null then s.unpaid else 0 end,
    coalesce(s.unpaid * prices.price, 0), prices, awaits, s.currencies > 1, s.currency,
    until)::carillon.purse
  from (
    select coalesce(sum(c.cost), 0) as spent, in_doubt + coalesce(sum(c.untold), 0)::bigint as unpaid,
      count(distinct nullif(c.currency, '')) filter (where c.told > 0 and c.cost <> 0) as currencies,
      max(nullif(c.currency, '')) filter (where c.told > 0 and c.cost <> 0) as currency
    from unnest(costs) c
  ) s
$$;

-- Whether a call may be going on, for its cost: an unknown one, as long as it keeps its phone.
create function carillon.costs_on(state text, phone_until timestamptz) returns boolean language sql stable as
$$ select state in ('dialing', 'placed') or (state = 'unknown' and phone_until > clock_timestamp()) $$;

-- The budget of a campaign, and what its next call is likely to cost, also where it has no budget of its own (most null).
create function carillon.campaign_purse(of_campaign uuid) returns carillon.purse language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  campaign carillon.campaigns%rowtype;
  live record;
  prices carillon.prices;
begin
  select * into campaign from carillon.campaigns c where c.id = of_campaign;
  prices := carillon.prices_of(campaign.base_url, of_campaign,
    array(select a ->> 'id' from jsonb_array_elements(campaign.terms -> 'agents') as a));
  select count(*) filter (where x.going) as going, count(*) filter (where not x.going) as doubted into live
  from carillon.attempts a cross join lateral (select carillon.costs_on(a.state, a.phone_until) as going) x
  where a.campaign_id = of_campaign and a.state in ('dialing', 'placed', 'unknown');
  return carillon.purse_from('campaign', campaign.max_cost,
    array(select c from carillon.cost_sums c where c.campaign_id = of_campaign), live.going, live.doubted, prices,
    prices.price is null and exists (
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
  live record;
  prices carillon.prices;
begin
  select * into budget from carillon.service_budget(service);
  if budget.day is null and budget.month is null then return; end if;
  prices := carillon.prices_of(service, null, null);
  for period in
    select k.kind, k.most, date_trunc(k.kind, clock_timestamp() at time zone 'UTC') as since, ('1 ' || k.kind)::interval as long
    from (values ('day', budget.day), ('month', budget.month)) as k(kind, most) where k.most is not null
  loop
    select count(*) filter (where x.going) as going, count(*) filter (where not x.going) as doubted into live
    from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
    cross join lateral (select carillon.costs_on(a.state, a.phone_until) as going) x
    where l.base_url = service and a.state in ('dialing', 'placed', 'unknown')
      and a.dialing_at >= period.since at time zone 'UTC';
    return next carillon.purse_from(period.kind, period.most,
      array(select c from carillon.cost_sums c where c.base_url = service and c.day >= period.since::date),
      live.going, live.doubted, prices, prices.price is null and exists (
        select from carillon.refreshes f join carillon.lanes l on l.id = f.lane_id
        where l.base_url = service and f.tries < 4 and 'cost' = any (f.fields)), (period.since + period.long) at time zone 'UTC');
  end loop;
end $$;

-- What so many calls under way may cost. Each may cost as much as the dearest, and more as long as few are known, because
-- the first to end are the shortest. Where many are known, calls together cost less than that: what they are likely to
-- cost, and five times what that may be off (no costs between 0 and the dearest are further from their mean).
-- bench/measure/budgets.ts plays it, and docs/guides/operating.md tells how well it keeps.
create function carillon.may_cost(p carillon.prices, calls integer) returns double precision language sql immutable as
$$ select case when calls = 0 or p.price is null then 0 else least(
    calls * p.dearest * (1 + 12 / p.talked),
    case when p.talked >= 5 * calls
      then calls * p.heavy + 5 * sqrt(greatest(0, calls * p.heavy * (p.dearest - p.heavy))) end) end $$;

-- What a purse holds back for calls that are not paid yet.
create function carillon.reserved_in(p carillon.purse) returns double precision language sql immutable as
$$ select p.owed + carillon.may_cost(p.prices, p.calls) $$;

-- Whether so many more calls fit; of the last one, its likely cost is enough. Before any call's cost is known, one is made
-- at a time, and then no more at once than are known.
create function carillon.fits(p carillon.purse, more integer) returns boolean language sql immutable as
$$ select case
    when p.most is null then true
    when p.mixed then false
    when (p.prices).price is null then more = 1 and p.calls = 0 and not p.awaits and p.spent < p.most
    else p.calls + more - 1 <= (p.prices).told
      and p.spent + p.owed + carillon.may_cost(p.prices, p.calls + more - 1) + (p.prices).price <= p.most * (1 + 1e-9)
  end $$;

-- How many more calls fit, at most so many.
create function carillon.calls_left(p carillon.purse, wanted integer) returns integer language sql immutable as
$$ select case when p.most is null then wanted else (
  select count(*)::integer from generate_series(1, wanted) k where carillon.fits(p, k)) end $$;

-- Whether a campaign's calls have any budget.
create function carillon.has_budget(service text, max_cost double precision) returns boolean language sql stable as
$$ select max_cost is not null or exists (select from carillon.budgets b
  where b.base_url = service and carillon.process_lives(b.seen_at)) $$;

-- How many more calls of a campaign its budget, its service's and the limit of its run (null: background workers) allow,
-- besides those that are planned; null: any number.
create function carillon.calls_allowed(
  of_campaign uuid, service text, max_cost double precision, by_run uuid, wanted integer)
returns integer language plpgsql stable as $$
declare
  allowed integer;
  own carillon.purse;
begin
  if by_run is not null then
    select l.calls_left into allowed from carillon.run_limits l where l.campaign_id = of_campaign;
  end if;
  if carillon.has_budget(service, max_cost) then
    own := carillon.campaign_purse(of_campaign);
    allowed := (select least(allowed, min(carillon.calls_left(p, wanted))) from (
      select own.* union all select s.* from carillon.service_purses(service) s) p);
  end if;
  return allowed - (select count(*) from carillon.attempts a where a.campaign_id = of_campaign and a.state = 'planned');
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
  where not carillon.fits(p, 1)
  order by p.until desc nulls first limit 1;
end $$;

-- Judges money in the fence: which of these attempts fit their budgets, in order. The campaigns with a budget are locked;
-- those of the service are locked here.
create function carillon.afford(judged carillon.wanted[], wanted uuid[]) returns setof uuid language plpgsql as $$
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
      exit when not carillon.fits(own, 1) or exists (select from unnest(shared) s where not carillon.fits(s, 1));
      return next id;
      own.calls := own.calls + 1;
      for i in 1..cardinality(shared) loop
        shared[i].calls := shared[i].calls + 1;
      end loop;
    end loop;
  end loop;
end $$;

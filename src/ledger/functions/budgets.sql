-- Budgets: what a campaign's calls may cost, and what all calls of a service may cost in a day or a month, in UTC. Spent is
-- what ended calls cost; reserved is what calls under way, and calls whose cost is not told, may cost. Nothing is kept that
-- an end could forget to give back: what is reserved is read from the live attempts.

-- What a call may cost, as far as costs were told (null: nothing is known), and of how many calls (null: the service's
-- description says it).
create type carillon.dearest as (most double precision, told double precision);

-- A budget at one moment. `calls`: under way; `blind`: how many of those that are not paid yet are of agents of which no
-- cost is known; `next`: what one more may cost; `awaits`: the first costs may still be told; `mixed`: costs are told in
-- several currencies; `until`: when the period ends (null: a campaign's budget has no end).
create type carillon.purse as (
  kind text, most double precision, spent double precision, reserved double precision, calls integer, blind integer,
  next carillon.dearest, awaits boolean, mixed boolean, currency text, until timestamptz);

-- What a call of an agent may cost: as much as the dearest of its calls so far, in the currency of the latest; without one,
-- what the service's description says. Calls that nobody answered say little: without one that was, nothing is known.
create function carillon.dearest_of(service text, of_agent text) returns carillon.dearest language sql stable as $$
  select coalesce(
    (select (max(c.dearest), sum(c.told))::carillon.dearest
      from carillon.cost_sums c where c.base_url = service and c.agent = of_agent
      group by c.currency having sum(c.talked) > 0 and max(c.dearest) > 0 order by max(c.day) desc limit 1),
    (select (max(l.call_cost), null)::carillon.dearest from carillon.lanes l where l.base_url = service))
$$;

-- The same of a call of any of these agents.
create function carillon.dearest_among(service text, agents text[]) returns carillon.dearest language sql stable as $$
  select (case when not bool_or(d.most is null) then max(d.most) end, min(d.told))::carillon.dearest
  from unnest(agents) as a cross join lateral carillon.dearest_of(service, a) d
$$;

-- What one more call is likely to cost (null: not known): the mean of the campaign's calls, else of its agents', else of
-- the service's in the last month.
create function carillon.likely_cost(service text, of_campaign uuid, agents text[]) returns double precision
language sql stable as $$
  with told as materialized (
    select c.campaign_id = of_campaign as own, c.agent = any (agents) as same, c.told, c.talked, c.cost
    from carillon.cost_sums c
    where c.base_url = service and c.day > (now() at time zone 'UTC')::date - 30
  )
  select coalesce(
    (select sum(t.cost) / sum(t.told) from told t where t.own having sum(t.talked) > 0 and sum(t.cost) > 0),
    (select sum(t.cost) / sum(t.told) from told t where t.same having sum(t.talked) > 0 and sum(t.cost) > 0),
    (select sum(t.cost) / sum(t.told) from told t having sum(t.talked) > 0 and sum(t.cost) > 0))
$$;

create function carillon.agents_of(terms jsonb) returns text[] language sql immutable as
$$ select array(select a ->> 'id' from jsonb_array_elements(terms -> 'agents') as a) $$;

-- Whether a call may be going on, for its cost: an unknown one, as long as it keeps its phone.
create function carillon.costs_on(state text, phone_until timestamptz) returns boolean language sql stable as
$$ select state in ('dialing', 'placed') or (state = 'unknown' and phone_until > clock_timestamp()) $$;

-- A purse of the costs that a budget counts, and the agents of its calls that are under way or in doubt: one for each call.
create function carillon.purse_from(
  kind text, most double precision, service text, costs carillon.cost_sums[], live text[], under_way bigint,
  next carillon.dearest, until timestamptz)
returns carillon.purse language sql stable as $$
  select (kind, most, s.spent, u.reserved, under_way, u.blind, next, u.blind > 0 and exists (
      select from carillon.refreshes f join carillon.lanes l on l.id = f.lane_id
      where l.base_url = service and f.tries < 4 and 'cost' = any (f.fields)),
    s.currencies > 1, s.currency, until)::carillon.purse
  from (
    select coalesce(sum(c.cost), 0) as spent,
      count(distinct nullif(c.currency, '')) filter (where c.told > 0 and c.cost <> 0) as currencies,
      max(nullif(c.currency, '')) filter (where c.told > 0 and c.cost <> 0) as currency
    from unnest(costs) c
  ) s
  cross join (
    select coalesce(sum(x.n * d.most), 0) as reserved, coalesce(sum(x.n) filter (where d.most is null), 0)::integer as blind
    from (
      select y.agent, sum(y.n) as n from (
        select unnest(live) as agent, 1 as n
        union all
        select c.agent, c.untold from unnest(costs) c where c.untold <> 0
      ) y group by 1
    ) x cross join lateral carillon.dearest_of(service, x.agent) d
  ) u
$$;

-- The budget of a campaign, also where it has none of its own (most null).
create function carillon.campaign_purse(of_campaign uuid) returns carillon.purse language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  campaign carillon.campaigns%rowtype;
  live record;
begin
  select * into campaign from carillon.campaigns c where c.id = of_campaign;
  select array_agg(coalesce(a.agent, '')) as agents,
    count(*) filter (where carillon.costs_on(a.state, a.phone_until)) as going into live
  from carillon.attempts a where a.campaign_id = of_campaign and a.state in ('dialing', 'placed', 'unknown');
  return carillon.purse_from('campaign', campaign.max_cost, campaign.base_url,
    array(select c from carillon.cost_sums c where c.campaign_id = of_campaign), live.agents, live.going,
    carillon.dearest_among(campaign.base_url, carillon.agents_of(campaign.terms)), null);
end $$;

-- The budgets that hold for every call of a service: the lowest that a living process was given.
create function carillon.service_budget(service text, out day double precision, out month double precision)
language sql stable as $$
  select min(b.day), min(b.month) from carillon.budgets b
  where b.base_url = service and carillon.process_lives(b.seen_at)
$$;

-- The purses of these. A call counts in the day and the month in which it was dialled, by the ledger's clock. next: what
-- one more may cost.
create function carillon.service_purses(service text, next carillon.dearest) returns setof carillon.purse
language plpgsql stable
set enable_seqscan = off set jit = off
as $$
declare
  budget record;
  period record;
  live record;
begin
  select * into budget from carillon.service_budget(service);
  if budget.day is null and budget.month is null then return; end if;
  for period in
    select k.kind, k.most, date_trunc(k.kind, clock_timestamp() at time zone 'UTC') as since, ('1 ' || k.kind)::interval as long
    from (values ('day', budget.day), ('month', budget.month)) as k(kind, most) where k.most is not null
  loop
    select array_agg(coalesce(a.agent, '')) as agents,
      count(*) filter (where carillon.costs_on(a.state, a.phone_until)) as going into live
    from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
    where l.base_url = service and a.state in ('dialing', 'placed', 'unknown')
      and a.dialing_at >= period.since at time zone 'UTC';
    return next carillon.purse_from(period.kind, period.most, service,
      array(select c from carillon.cost_sums c where c.base_url = service and c.day >= period.since::date),
      live.agents, live.going, next, (period.since + period.long) at time zone 'UTC');
  end loop;
end $$;

-- How many more calls fit, at most so many, if each may cost what `next` says. As long as nothing is known of an agent, one
-- call is made at a time, whose cost is awaited; then no more at once than costs are known, because the first calls to end
-- are the shortest.
create function carillon.calls_left(p carillon.purse, wanted integer) returns integer language sql immutable as
$$ select case
    when p.most is null then wanted
    when p.mixed or p.blind > 0 then 0
    when (p.next).most is null then least(wanted, (p.spent + p.reserved < p.most)::integer)
    else greatest(0, least(wanted, (p.next).told + 1 - p.calls,
      floor((p.most * (1 + 1e-9) - p.spent - p.reserved) / (p.next).most)))::integer
  end $$;

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
      select own.* union all select s.* from carillon.service_purses(service, own.next) s) p);
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
  from (select own.* union all select s.* from carillon.service_purses(campaign.base_url, own.next) s) p
  where carillon.calls_left(p, 1) = 0
  order by p.until desc nulls first limit 1;
end $$;

-- Judges money in the fence: which of these attempts fit their budgets, in order. The campaigns with a budget are locked;
-- those of the service are locked here.
create function carillon.afford(judged carillon.wanted[], wanted uuid[]) returns setof uuid language plpgsql as $$
declare
  service text;
  -- Of the service, and last that of the campaign.
  purses carillon.purse[] := '{}';
  own uuid;
  entry record;
  next carillon.dearest;
begin
  select c.base_url into service from carillon.campaigns c where c.id = judged[1].campaign_id;
  if exists (select from carillon.budgets b where b.base_url = service) then
    perform pg_advisory_xact_lock(hashtext('carillon budget'), hashtext(service));
    purses := array(select s from carillon.service_purses(service, null) s);
  end if;
  for entry in
    select j.id, j.of, coalesce(j.agent, '') as agent
    from unnest(judged) with ordinality as j(id, revision, opens, ticket, agent, policy, closes, hash, of, phone, keeps, bound, say, nth)
    where j.id = any (wanted) order by j.of, j.nth
  loop
    if own is null then purses := purses || carillon.campaign_purse(entry.of);
    elsif own <> entry.of then purses[cardinality(purses)] := carillon.campaign_purse(entry.of);
    end if;
    own := entry.of;
    next := carillon.dearest_of(service, entry.agent);
    for i in 1..cardinality(purses) loop
      purses[i].next := next;
    end loop;
    continue when exists (select from unnest(purses) p where carillon.calls_left(p, 1) = 0);
    return next entry.id;
    for i in 1..cardinality(purses) loop
      purses[i].calls := purses[i].calls + 1;
      purses[i].reserved := purses[i].reserved + coalesce(next.most, 0);
      purses[i].blind := purses[i].blind + (next.most is null)::integer;
    end loop;
  end loop;
end $$;

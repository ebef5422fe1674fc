-- name: keep
-- A process that dials says what VOICE_MAX_COST it has: see carillon.service_budget. Returns what holds for all.
-- @month (both null: it has none)
with kept as (
  insert into carillon.budgets as b (base_url, process, day, month)
  select @baseUrl::text, @process::text, @day::double precision, @month::double precision
  where @day::double precision is not null or @month::double precision is not null
  on conflict (base_url, process) do update set day = excluded.day, month = excluded.month, seen_at = excluded.seen_at
), old as (
  delete from carillon.budgets b where b.seen_at < clock_timestamp() - interval '1 hour' and b.process <> @process
)
select least(x.day, @day::double precision) as day, least(x.month, @month::double precision) as month
from carillon.service_budget(@baseUrl) x

-- name: of_campaign
-- The budget of a campaign.
select p.most, p.spent, p.reserved, (p.next).most as next, p.currency, p.mixed, p.awaits,
  carillon.calls_left(p, 1) > 0 as fits, p.until, p.kind, p.calls
from carillon.campaigns c cross join lateral carillon.campaign_purse(c.id) p where c.id = @campaignId
  and c.max_cost is not null

-- name: price
-- What a campaign's next call is likely to cost (null: not known), what its calls have cost, and what is reserved for
-- those that are not paid yet.
select carillon.likely_cost(c.base_url, c.id, carillon.agents_of(c.terms)) as price, p.spent, p.reserved
from carillon.campaigns c cross join lateral carillon.campaign_purse(c.id) p where c.id = @campaignId

-- name: price_of_agents
-- What a call of a new campaign of these agents is likely to cost.
select carillon.likely_cost(@baseUrl, null, @agents::text[]) as price

-- name: of_service
-- The budgets in force for every call of a service; next: of the agents that it had in the last month.
select p.most, p.spent, p.reserved, (p.next).most as next, p.currency, p.mixed, p.awaits,
  carillon.calls_left(p, 1) > 0 as fits, p.until, p.kind, p.calls
from carillon.service_purses(@baseUrl, carillon.dearest_among(@baseUrl, array(select distinct c.agent
  from carillon.cost_sums c
  where c.base_url = @baseUrl and c.talked > 0 and c.day > (now() at time zone 'UTC')::date - 30))) p order by p.until

-- name: wait
-- The budget that lets no further call of a campaign pass, and until when.
select w.kind, w.until from carillon.budget_wait(@campaignId) w where w.kind is not null

-- name: currencies
-- The currencies in which a service told costs in the last month.
select array_agg(distinct c.currency) as currencies from carillon.cost_sums c
where c.base_url = @baseUrl and c.told > 0 and c.cost <> 0 and c.currency <> ''
  and c.day > (now() at time zone 'UTC')::date - 30

-- name: near
-- Budgets of which this share is spent, for alerts: of running campaigns that have people to call, and of the service.
select x.subject, x.whose, x.spent, x.most, x.currency from (
  select c.id::text as subject, 'The campaign ' || c.name as whose, p.spent, p.most, p.currency
  from carillon.campaigns c cross join lateral carillon.campaign_purse(c.id) p
  where c.base_url = @baseUrl and c.state = 'running' and c.max_cost is not null
    and (c.evergreen or exists (select from carillon.counts n
      where n.campaign_id = c.id and n.name in ('waiting', 'parked') and n.n > 0))
  union all
  select p.kind, 'The ' || p.kind, p.spent, p.most, p.currency from carillon.service_purses(@baseUrl, null) p
) x where x.spent >= @share * x.most order by x.whose limit 20

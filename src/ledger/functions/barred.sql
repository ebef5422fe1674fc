-- Phones that must not be called.

-- Phones that must not be called now: by one campaign, or by any (null).
create view carillon.barred as
select s.phone, s.campaign_id from carillon.suppressions s where s.until is null or s.until > now();

-- The bar on a campaign's calls to a phone, if there is one: a suppression, or that the person was erased. A campaign that
-- is not there yet is null. Postgres puts such a function's own query in its place, so that it costs an index lookup.
create function carillon.barring(of_phone text, by_campaign uuid) returns setof carillon.barred language sql stable as
$$ select b.* from carillon.barred b
  where b.phone = of_phone and (b.campaign_id is null or b.campaign_id = by_campaign)
  union all
  select of_phone, null::uuid where starts_with(of_phone, 'erased:') $$;

-- The new state of a person whose attempt ends without a call: they wait again, unless their campaign was canceled or
-- their phone suppressed. The reason is the one that a sweep gives, or the list of suppressions.
create function carillon.freed_as(of_campaign uuid, of_phone text, outcome text) returns table (state text, reason text)
language sql stable as
$$ select case when x.reason is null then 'waiting' else carillon.end_state(outcome) end, x.reason
  from (
    select case when c.state = 'canceled' then coalesce(c.sweep, 'campaign canceled')
      when exists (select from carillon.barring(of_phone, of_campaign)) then 'suppressed' end as reason
    from carillon.campaigns c where c.id = of_campaign offset 0
  ) x $$;

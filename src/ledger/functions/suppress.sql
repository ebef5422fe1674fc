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

-- The effect of suppressions: anyone who is not yet being called is skipped. A person whom a planner is claiming is
-- left to the dialer, which checks again before it calls. Returns how many were skipped. of_campaign: the one that may
-- not call them (null: none may)
create function carillon.skip_barred(phones text[], of_campaign uuid) returns integer language plpgsql
set enable_seqscan = off
as $$
declare
  skipped integer;
begin
  with people as (
    select r.id, a.id as attempt from carillon.recipients r
    left join carillon.attempts a on a.recipient_id = r.id
    where r.phone = any (phones) and (of_campaign is null or r.campaign_id = of_campaign)
      and carillon.may_skip(r.state, a.state)
    order by r.id for update of r
  ), dropped as (
    select e.recipient_id from carillon.end_attempts(
      array(select p.attempt from people p where p.attempt is not null), '{planned,parked}', 'dropped', 'suppressed', null) e
  ), moved as (
    update carillon.recipients r
    set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
    from people p where r.id = p.id and (p.attempt is null or r.id in (select d.recipient_id from dropped d))
    returning r.state
  )
  -- Whoever has another number is called on that.
  select count(*)::integer into skipped from moved m where m.state <> 'waiting';
  return skipped;
end $$;

-- Suppresses phones at once. A suppression is only ever extended: a later end replaces an earlier one, never the other
-- way round. It is a function because it must wait for dialers that are opening an attempt on one of the phones, and
-- see what they did: a single statement would not. For that it takes each phone itself, and gives it back. entries:
-- [{phone, source, reason, until}]; of_campaign: the one that may not call them (null: none may); hang_up: live calls
-- end too, also of campaigns that did not order it. calls: the attempts that are to be hung up
create function carillon.suppress(entries jsonb, of_campaign uuid, hang_up boolean)
returns table (added integer, skipped integer, calls uuid[]) language plpgsql as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  phones constant text[] := array(select distinct e.phone from jsonb_to_recordset(entries) as e(phone text) order by 1);
begin
  insert into carillon.live_phones (phone, attempt_id) select p, nobody from unnest(phones) as p order by p
  on conflict (phone) do nothing;
  delete from carillon.live_phones l where l.phone = any (phones) and l.attempt_id = nobody;
  with given as (
    select distinct on (e.phone) e.* from jsonb_to_recordset(entries)
      as e(phone text, source text, reason text, until timestamptz)
    order by e.phone, e.until desc nulls first
  ), kept as (
    insert into carillon.suppressions as s (phone, campaign_id, source, reason, until)
    select g.phone, of_campaign, g.source, g.reason, g.until from given g
    on conflict (phone, scope) do update
    set source = excluded.source, reason = coalesce(excluded.reason, s.reason), until = excluded.until
    where (s.until is not null and (excluded.until is null or excluded.until > s.until))
      or (excluded.source = 'opt-out' and s.source <> 'opt-out' and excluded.until is null)
    returning phone
  )
  select count(*)::integer into added from kept;
  skipped := carillon.skip_barred(phones, of_campaign);
  calls := array(
    select a.id from unnest(phones) as p(phone)
    cross join lateral (
      select x.id, x.state, x.call_id, x.campaign_id from carillon.attempts x where x.phone = p.phone offset 0
    ) a
    join carillon.campaigns c on c.id = a.campaign_id
    where (of_campaign is null or a.campaign_id = of_campaign) and carillon.may_hang_up(a.state, a.call_id)
      and (hang_up or (c.terms ->> 'hangUp')::boolean));
  insert into carillon.hang_ups as h (attempt_id) select c from unnest(calls) as c order by c
  on conflict (attempt_id) do update set outcome = null, detail = null, due_at = now() where h.outcome = 'refused';
  return next;
end $$;

-- Takes what records said of opt-outs: people who want no more calls are suppressed everywhere, and counted and told of
-- once. The counts of records read, and of those with the path, expose a path that never exists. sights: said, unsaid
-- or absent; heard: not by the record, but by a person who listened
create function carillon.hear_opt_outs(campaigns uuid[], phones text[], sights text[], people bigint[]) returns void
language plpgsql as $$
begin
  -- An aggregate of no rows is null.
  if phones is null then return; end if;
  insert into carillon.tally_deltas (campaign_id, name, n)
  select h.campaign, x.name, x.n
  from (
    select h.campaign, count(*) filter (where h.sight <> 'heard') as read,
      count(*) filter (where h.sight in ('said', 'unsaid')) as found,
      count(*) filter (where h.sight in ('said', 'heard') and not exists (
        select from carillon.suppressions s where s.phone = h.phone and s.campaign_id is null and s.source = 'opt-out'
      )) as people
    from unnest(campaigns, phones, sights) as h(campaign, phone, sight) group by 1
  ) h cross join lateral (values ('opt-outs', h.people), ('opt-out-read', h.read), ('opt-out-found', h.found)) as x(name, n)
  where x.n > 0;
  if sights && '{said,heard}' then
    insert into carillon.outbox (type, campaign_id, recipients)
    select 'recipient.opted_out', h.campaign, array_agg(h.person order by h.person)
    from unnest(campaigns, phones, sights, people) as h(campaign, phone, sight, person)
    where h.sight in ('said', 'heard') and not exists (
      select from carillon.suppressions s where s.phone = h.phone and s.campaign_id is null and s.source = 'opt-out')
    group by 1, 2;
    perform carillon.suppress((
      select jsonb_agg(jsonb_build_object('phone', k.phone, 'source', 'opt-out', 'reason', 'asked on a call of ' || c.name))
      from unnest(campaigns, phones, sights, people) as h(campaign, phone, sight, person)
      join carillon.campaigns c on c.id = h.campaign
      -- A person who wants no more calls wants none on any number.
      cross join lateral (
        select h.phone union select p.phone from carillon.phones p where p.recipient_id = h.person and p.phone <> ''
      ) k
      where h.sight in ('said', 'heard')), null, false);
  end if;
end $$;

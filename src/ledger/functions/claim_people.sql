-- Claims due people of one campaign: for the call that they asked for (callback), for another attempt (again), or for
-- their first. Each due person is one of the three. SKIP LOCKED, so that the planners of several lanes share the work.
create function carillon.claim_due(of_campaign uuid, open_places text[], most integer, turn text)
returns setof bigint language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
declare
  -- Every real time sorts after '-infinity', which means no time.
  again constant boolean := turn = 'again';
  since constant timestamptz := case when again then '4713-01-01 BC' else '-infinity' end;
begin
  if most <= 0 then return; end if;
  if turn = 'callback' then
    return query select r.id from carillon.recipients r
      where r.campaign_id = of_campaign and r.state = 'waiting' and r.callback_at is not null and r.next_at <= now()
        and (open_places is null or r.place = any (open_places))
        and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
        and (not r.several or carillon.others_free(r.id))
      order by r.next_at, r.row limit most for update of r skip locked;
    return;
  end if;
  if open_places is null then
    if again then
      return query select r.id from carillon.recipients r
        where r.campaign_id = of_campaign and r.state = 'waiting' and r.next_at between since and now()
          and r.outcome is not null and r.callback_at is null
          and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
          and (not r.several or carillon.others_free(r.id))
        order by r.next_at, r.row limit most for update of r skip locked;
    else
      return query select r.id from carillon.recipients r
        where r.campaign_id = of_campaign and r.state = 'waiting' and r.next_at <= now()
          and (r.outcome is null or r.next_at = '-infinity') and r.callback_at is null
          and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
          and (not r.several or carillon.others_free(r.id))
        order by r.next_at, r.row limit most for update of r skip locked;
    end if;
    return;
  end if;
  return query
  with picked as materialized (
    select p.id, p.next_at, p.row
    from unnest(open_places) as z(place) cross join lateral (
      select r.id, r.next_at, r.row from carillon.recipients r
      where r.campaign_id = of_campaign and r.state = 'waiting' and r.place = z.place
        and r.next_at between since and now()
        and (r.outcome is not null and r.next_at > '-infinity') = again and r.callback_at is null
        and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
        and (not r.several or carillon.others_free(r.id))
      order by r.next_at, r.row limit most
    ) p
    order by p.next_at, p.row limit most
  )
  select r.id from picked p join carillon.recipients r on r.id = p.id
  where r.state = 'waiting' and r.campaign_id = of_campaign
  order by p.next_at, p.row for update of r skip locked;
end $$;

-- Claims due people as claim_due does, but those only whom the contact rules let through (policy null: everybody). The rules
-- hold the others: their rows wait until the time at which the rule ends, so that the next round does not meet them
-- again.
create function carillon.claim_allowed(
  of_campaign uuid, open_places text[], most integer, turn text, policy carillon.policies)
returns bigint[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- How many the rules are asked about in one go: a round must not last long because very many are held.
  most_judged constant integer := 5000;
  allowed bigint[] := '{}';
  claimed bigint[];
  fresh bigint[];
  wanted integer := most;
  judged integer := 0;
  ended boolean;
begin
  if policy is null then
    return array(select carillon.claim_due(of_campaign, open_places, most, turn));
  end if;
  while cardinality(allowed) < most and judged < most_judged loop
    -- Those that were let through are met again, in front of the next ones.
    claimed := array(select carillon.claim_due(of_campaign, open_places, cardinality(allowed) + wanted, turn));
    fresh := array(select c.id from unnest(claimed) with ordinality as c(id, nth)
      where not exists (select from unnest(allowed) as a(id) where a.id = c.id) order by c.nth);
    judged := judged + cardinality(fresh);
    with people as materialized (
      select f.id, r.phone, f.nth
      from unnest(fresh) with ordinality as f(id, nth) join carillon.recipients r on r.id = f.id
    ), asked as materialized (
      select array_agg(p.id order by p.nth) as ids, array_agg(p.phone order by p.nth) as phones from people p
    ), held as materialized (
      select a.ids[j.nth] as id, j.rule, j.until from asked a cross join lateral carillon.judge_phones(
        a.phones, null, clock_timestamp(), policy.caps, policy.gap, policy.conversation) j
    ), waits as (
      update carillon.recipients r
      set held = h.rule, held_under = policy.version, next_at = h.until, updated_at = now()
      from held h where r.id = h.id
    )
    select array(select p.id from people p where not exists (select from held h where h.id = p.id) order by p.nth)
    into fresh;
    -- Nobody else is due.
    ended := cardinality(claimed) < cardinality(allowed) + wanted;
    allowed := allowed || fresh;
    exit when ended;
    -- When most are held, more are asked about at once.
    wanted := case when cardinality(fresh) * 2 < wanted then greatest(wanted, least(wanted * 4, 1000))
      else most - cardinality(allowed) end;
  end loop;
  return allowed[1:most];
end $$;

-- Claims up to n people of a campaign whom the rules let through, in the order in which they are to be called. People who
-- asked to be called back now go first. People who are due again and people who were never called take turns, so that a
-- retry comes near its time and the list gets on; with retry_first, the former go first. A first attempt that was refused
-- as the order's fault goes after the others.
create function carillon.claim_people(
  of_campaign carillon.campaigns, open_places text[], n integer, turn double precision, policy carillon.policies)
returns bigint[] language plpgsql as $$
declare
  retry_first constant boolean := of_campaign.retry_first;
  -- Whether a retry has the first place; it alternates, so that one attempt at a time is fair too.
  odd constant integer := case when retry_first then 0 else mod(round(turn * of_campaign.weight)::bigint, 2) end;
  asked constant bigint[] := carillon.claim_allowed(of_campaign.id, open_places, n, 'callback', policy);
  rest constant integer := n - cardinality(asked);
  later bigint[];
  first bigint[];
begin
  later := carillon.claim_allowed(of_campaign.id, open_places, rest, 'again', policy);
  first := carillon.claim_allowed(of_campaign.id, open_places, least(
    rest - case when retry_first then cardinality(later) else least(cardinality(later), rest / 2) end,
    carillon.first_left(of_campaign.id)), 'first', policy);
  return asked || array(
    select t.id from (
      select x.id, x.nth * case when retry_first then 1 else 2 end - odd as nth
      from unnest(later) with ordinality as x(id, nth)
      union all
      select x.id, case when retry_first then rest + x.nth else x.nth * 2 - 1 + odd end
      from unnest(first) with ordinality as x(id, nth)
    ) t order by t.nth limit rest);
end $$;

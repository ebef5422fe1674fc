-- Claims due people of one campaign: for another attempt, or for their first. Each due person is one of the two. SKIP
-- LOCKED, so that the planners of several lanes share the work.
create function carillon.claim_due(of_campaign uuid, open_places text[], most integer, again boolean)
returns setof bigint language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
declare
  -- Every real time sorts after '-infinity', which means no time.
  since constant timestamptz := case when again then '4713-01-01 BC' else '-infinity' end;
begin
  if most <= 0 then return; end if;
  if open_places is null then
    if again then
      return query select r.id from carillon.recipients r
        where r.campaign_id = of_campaign and r.state = 'waiting' and r.next_at between since and now()
          and r.outcome is not null
          and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
        order by r.next_at, r.row limit most for update of r skip locked;
    else
      return query select r.id from carillon.recipients r
        where r.campaign_id = of_campaign and r.state = 'waiting' and r.next_at <= now()
          and (r.outcome is null or r.next_at = '-infinity')
          and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
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
        and (r.outcome is not null and r.next_at > '-infinity') = again
        and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
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
  of_campaign uuid, open_places text[], most integer, again boolean, policy carillon.policies)
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
    return array(select carillon.claim_due(of_campaign, open_places, most, again));
  end if;
  while cardinality(allowed) < most and judged < most_judged loop
    -- Those that were let through are met again, in front of the next ones.
    claimed := array(select carillon.claim_due(of_campaign, open_places, cardinality(allowed) + wanted, again));
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

-- Claims due people for one lane, over several campaigns, by their turns. It is a function because the turns must be
-- read after the lane's planners are in line: a single statement would still see what was there before it waited.
-- A plan made while the tables were small must not scan or sort them when they have grown: the settings leave it only
-- the indexes.
-- requests: [{id, limit: how many may be taken now, due: how many it would take, queued: how many are planned on the
-- lane, places: those that are open (null: no window)}]; headroom: how many the lane takes; lead: how far it may get
-- ahead of campaigns that other processes plan.
create function carillon.plan_attempts(on_lane integer, requests jsonb, headroom integer, lead integer)
returns table (attempt uuid, campaign uuid) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
declare
  fresh_since timestamptz;
  bound double precision;
  request record;
  open_headroom integer := greatest(0, headroom);
  policy carillon.policies%rowtype;
  -- Whether the contact rules are about phones at all.
  judges boolean;
  binding carillon.policies%rowtype;
  later bigint[];
  first bigint[];
  met integer;
  ids uuid[];
  made uuid[] := '{}';
  owners uuid[] := '{}';
  turns double precision[] := '{}';
  dry uuid[] := '{}';
begin
  if not carillon.is_sound() then return; end if;
  perform pg_advisory_xact_lock(hashtext('carillon shares'), on_lane);
  fresh_since := clock_timestamp() - interval '5 seconds';
  select * into policy from carillon.policies p order by p.version desc limit 1;
  judges := policy.caps is not null or policy.gap is not null or policy.conversation is not null;

  -- The people whom a campaign calls before it pauses are counted by one planner at a time.
  perform 1 from carillon.campaigns c
  where c.id in (select w.id from jsonb_to_recordset(requests) as w(id uuid)) and c.first_people > c.first_met
  order by c.id for no key update;

  -- A stopped campaign takes no turns, and saves none up.
  update carillon.shares s set wants = false from carillon.campaigns c
  where s.lane_id = on_lane and s.wants and c.id = s.campaign_id and c.state <> 'running';

  -- A campaign that is new, or back from a rest, starts level with the others.
  insert into carillon.shares as s (lane_id, campaign_id, turn, level, wants, seen_at, free_at)
  select on_lane, w.id, o.start, o.start - w.queued / c.weight::double precision, w.due > 0, clock_timestamp(),
    clock_timestamp()
  from jsonb_to_recordset(requests) as w(id uuid, due integer, queued integer)
  join carillon.campaigns c on c.id = w.id
  cross join (
    -- By turn with those of its own queue, because all of them wait in it; with others by level.
    select coalesce(min(x.turn) filter (where x.own and x.here), min(x.level) filter (where x.here), max(x.turn), 0) as start
    from (
      select y.turn, y.level, y.wants and y.seen_at > fresh_since as here,
        y.campaign_id in (select w.id from jsonb_to_recordset(requests) as w(id uuid)) as own
      from carillon.shares y where y.lane_id = on_lane
    ) x
  ) o
  on conflict (lane_id, campaign_id) do update set
    turn = case when s.wants and s.seen_at > fresh_since then s.turn else greatest(s.turn, excluded.turn) end,
    level = case when s.wants and s.seen_at > fresh_since then s.turn else greatest(s.turn, excluded.turn) end
      + excluded.level - excluded.turn,
    free_at = case when plan_attempts.headroom > 0 or not s.wants then excluded.free_at else s.free_at end,
    wants = excluded.wants, seen_at = excluded.seen_at;

  -- Campaigns that another process plans take their own turns: none is overtaken by more than a moment's work.
  select min(s.level) filter (where s.campaign_id not in (select w.id from jsonb_to_recordset(requests) as w(id uuid)))
    + lead / sum(c.weight)::double precision
  into bound
  from carillon.shares s join carillon.campaigns c on c.id = s.campaign_id
  where s.lane_id = on_lane and s.wants and s.seen_at > fresh_since and s.free_at > fresh_since;

  -- Twice, because some have fewer people than they reported: the others get what they leave.
  for round in 1..2 loop
    exit when open_headroom <= 0;
    for request in
      -- odd: whether a retry has the first place; it alternates, so that one attempt at a time is fair too.
      select p.id, p.n, p.weight, p.turn, w.places, c.retry_first, c.ignores_policy,
        coalesce(c.first_people > c.first_met, false) as stops,
        case when c.retry_first then 0 else mod(round(p.turn * p.weight)::bigint, 2) end as odd
      from (
        select t.id, t.weight, t.turn, count(*)::integer as n
        from (
          select w.id, c.weight, s.turn
          from jsonb_to_recordset(requests) as w(id uuid, "limit" integer)
          join carillon.campaigns c on c.id = w.id
          join carillon.shares s on s.lane_id = on_lane and s.campaign_id = w.id
          cross join lateral generate_series(0,
            least(open_headroom, w."limit" - (select count(*) from unnest(owners) as x where x = w.id))::integer - 1) as k
          where w.id <> all (dry) and (bound is null or s.turn + k / c.weight::double precision <= bound)
          order by s.turn + k / c.weight::double precision, s.turn, c.created_at, w.id
          limit open_headroom
        ) t
        group by 1, 2, 3
      ) p join jsonb_to_recordset(requests) as w(id uuid, places text[]) on w.id = p.id
        join carillon.campaigns c on c.id = p.id
    loop
      -- People who are due again and people who were never called take turns, so that a retry comes near its time and
      -- the list gets on; with retry_first, the former go first. A first attempt that was refused as the order's fault
      -- goes after the others. A suppression may cross with an import or the end of a call and leave a person waiting,
      -- who is skipped here.
      binding := case when judges and not request.ignores_policy then policy end;
      later := carillon.claim_allowed(request.id, request.places, request.n, true, binding);
      first := carillon.claim_allowed(request.id, request.places, least(request.n
        - case when request.retry_first then cardinality(later) else least(cardinality(later), request.n / 2) end,
        carillon.first_left(request.id)), false, binding);
      with chosen as materialized (
        select * from (
          select x.id, x.nth * case when request.retry_first then 1 else 2 end - request.odd as nth
          from unnest(later) with ordinality as x(id, nth)
          union all
          select x.id, case when request.retry_first then request.n + x.nth else x.nth * 2 - 1 + request.odd end
          from unnest(first) with ordinality as x(id, nth)
        ) t order by t.nth limit request.n
      ), due as materialized (
        select r.id, r.row, r.phone, r.attempts, d.nth,
          exists (select from carillon.barring(r.phone, r.campaign_id)) as barred
        from chosen d join carillon.recipients r on r.id = d.id
      ), off as (
        update carillon.recipients r
        set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
        from due d where r.id = d.id and d.barred
      ), planned as (
        insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, caller)
        select carillon.new_id(), request.id, d.id, on_lane, d.phone, d.attempts + 1,
          carillon.caller_of(c.terms, d.row + d.attempts)
        from due d join carillon.campaigns c on c.id = request.id
        where c.state = 'running' and not d.barred
        returning id, recipient_id
      ), moved as (
        update carillon.recipients r
        set state = 'live', reason = null, held = null, held_under = null, retry_at = null, updated_at = now(),
          is_first = r.is_first or (request.stops and r.attempts = 0)
        from planned p where r.id = p.recipient_id
      )
      select (select count(*) from due),
        array(select p.id from planned p join due d on d.id = p.recipient_id order by d.nth)
      into met, ids;
      if met < request.n then dry := dry || request.id; end if;
      continue when cardinality(ids) = 0;
      made := made || ids;
      owners := owners || array_fill(request.id, array[cardinality(ids)]);
      turns := turns || array(
        select request.turn + (i - 1) / request.weight::double precision from generate_series(1, cardinality(ids)) as i);
      open_headroom := open_headroom - cardinality(ids);
      update carillon.shares s set turn = request.turn + cardinality(ids) / request.weight::double precision
      where s.lane_id = on_lane and s.campaign_id = request.id;
    end loop;
  end loop;

  -- A campaign with nobody left to plan leaves its share to the others at once.
  update carillon.shares s set wants = false
  from jsonb_to_recordset(requests) as w(id uuid, due integer)
  where s.lane_id = on_lane and s.campaign_id = w.id and s.wants
    and (w.id = any (dry) or w.due <= (select count(*) from unnest(owners) as x where x = w.id));

  return query select m.id, m.owner from unnest(made, owners, turns) with ordinality as m(id, owner, turn, nth)
    join carillon.campaigns c on c.id = m.owner
    order by m.turn, c.created_at, m.owner, m.nth;
end $$;

-- The campaigns of a request to plan_attempts, which see.
create function carillon.requested(requests jsonb) returns table (id uuid) language sql immutable as
$$ select w.id from jsonb_to_recordset(requests) as w(id uuid) $$;

-- Enters the planner's campaigns into the turns of a lane, and takes out those that stopped. has_room: whether the lane
-- takes anything now.
create function carillon.join_turns(on_lane integer, requests jsonb, has_room boolean, fresh_since timestamptz)
returns void language plpgsql as $$
begin
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
        y.campaign_id in (select r.id from carillon.requested(requests) r) as own
      from carillon.shares y where y.lane_id = on_lane
    ) x
  ) o
  on conflict (lane_id, campaign_id) do update set
    turn = case when s.wants and s.seen_at > fresh_since then s.turn else greatest(s.turn, excluded.turn) end,
    level = case when s.wants and s.seen_at > fresh_since then s.turn else greatest(s.turn, excluded.turn) end
      + excluded.level - excluded.turn,
    free_at = case when has_room or not s.wants then excluded.free_at else s.free_at end,
    wants = excluded.wants, seen_at = excluded.seen_at;
end $$;

-- The turn that no campaign of this planner may pass: campaigns that another process plans take their own turns, and none
-- is overtaken by more than a moment's work (lead). Null where no other planner is at work.
create function carillon.turn_bound(on_lane integer, requests jsonb, lead integer, fresh_since timestamptz)
returns double precision language plpgsql as $$
begin
  return (
    select min(s.level) filter (where s.campaign_id not in (select r.id from carillon.requested(requests) r))
      + lead / sum(c.weight)::double precision
    from carillon.shares s join carillon.campaigns c on c.id = s.campaign_id
    where s.lane_id = on_lane and s.wants and s.seen_at > fresh_since and s.free_at > fresh_since
  );
end $$;

-- Divides what a lane takes now among the campaigns, turn by turn: n attempts for each that gets some. planned: the
-- campaign of each attempt that this plan has already; dry: campaigns that have nobody left.
create function carillon.divide_room(
  on_lane integer, requests jsonb, room integer, bound double precision, planned uuid[], dry uuid[])
returns table (id uuid, n integer, turn double precision, places text[]) language plpgsql as $$
begin
  return query
  select p.id, p.n, p.turn, w.places
  from (
    select t.id, t.turn, count(*)::integer as n
    from (
      select w.id, s.turn
      from jsonb_to_recordset(requests) as w(id uuid, "limit" integer)
      join carillon.campaigns c on c.id = w.id
      join carillon.shares s on s.lane_id = on_lane and s.campaign_id = w.id
      cross join lateral generate_series(0,
        least(room, w."limit" - (select count(*) from unnest(planned) as x where x = w.id))::integer - 1) as k
      where w.id <> all (dry) and (bound is null or s.turn + k / c.weight::double precision <= bound)
      order by s.turn + k / c.weight::double precision, s.turn, c.created_at, w.id
      limit room
    ) t
    group by 1, 2
  ) p join jsonb_to_recordset(requests) as w(id uuid, places text[]) on w.id = p.id;
end $$;

-- Makes an attempt for each of these people, in their order. A suppression may cross with an import or the end of a call
-- and leave a person waiting, who is skipped here. callers: the number for each (null: the service chooses). stops: the
-- campaign pauses after its first people.
-- met: how many people were found, planned or skipped.
create function carillon.plan_people(
  on_lane integer, of_campaign uuid, chosen bigint[], callers jsonb[], stops boolean, out met integer, out ids uuid[])
language plpgsql as $$
begin
  with due as materialized (
    select r.id, r.row, r.phone, r.several, r.attempts, d.nth,
      exists (select from carillon.barring(r.phone, r.campaign_id)) as barred
    from unnest(chosen) with ordinality as d(id, nth) join carillon.recipients r on r.id = d.id
  ), off as (
    update carillon.recipients r
    set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
    from due d where r.id = d.id and d.barred
  ), planned as (
    insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, keeps, number, caller)
    select carillon.new_id(), of_campaign, d.id, on_lane, d.phone,
      case when d.several then carillon.phones_of(d.id) end, d.attempts + 1,
      callers[d.nth]
    from due d join carillon.campaigns c on c.id = of_campaign
    where c.state = 'running' and not d.barred
    returning id, recipient_id
  ), moved as (
    update carillon.recipients r
    set state = 'live', reason = null, held = null, held_under = null, retry_at = null, updated_at = now(),
      is_first = r.is_first or (stops and r.attempts = 0)
    from planned p where r.id = p.recipient_id
  )
  select (select count(*) from due),
    array(select p.id from planned p join due d on d.id = p.recipient_id order by d.nth)
  into met, ids;
end $$;

-- Claims due people for one lane, over several campaigns, by their turns. It is a function because the turns must be
-- read after the lane's planners are in line: a single statement would still see what was there before it waited.
-- A plan made while the tables were small must not scan or sort them when they have grown: the settings leave it, and
-- the functions that it calls, only the indexes.
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
  room integer := greatest(0, headroom);
  policy carillon.policies%rowtype;
  -- Whether the contact rules are about phones at all.
  judges boolean;
  binding carillon.policies%rowtype;
  share record;
  owner carillon.campaigns%rowtype;
  pool carillon.pooled[];
  most integer;
  chosen bigint[];
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
  where c.id in (select r.id from carillon.requested(requests) r) and c.first_people > c.first_met
  order by c.id for no key update;

  perform carillon.join_turns(on_lane, requests, headroom > 0, fresh_since);
  bound := carillon.turn_bound(on_lane, requests, lead, fresh_since);

  -- Twice, because some have fewer people than they reported: the others get what they leave.
  for round in 1..2 loop
    exit when room <= 0;
    for share in select * from carillon.divide_room(on_lane, requests, room, bound, owners, dry) loop
      select * into owner from carillon.campaigns c where c.id = share.id;
      binding := case when judges and not owner.ignores_policy then policy end;
      most := share.n;
      if owner.has_callers then
        pool := carillon.pool_on(owner, on_lane, true);
        most := least(most, carillon.pool_room(pool));
      end if;
      chosen := carillon.claim_people(owner, share.places, most, share.turn, binding);
      select p.met, p.ids into met, ids from carillon.plan_people(on_lane, share.id, chosen,
        case when owner.has_callers then carillon.choose_callers(owner, chosen, pool) end,
        coalesce(owner.first_people > owner.first_met, false)) p;
      if met < share.n then dry := dry || share.id; end if;
      continue when cardinality(ids) = 0;
      made := made || ids;
      owners := owners || array_fill(share.id, array[cardinality(ids)]);
      turns := turns || array(
        select share.turn + (i - 1) / owner.weight::double precision from generate_series(1, cardinality(ids)) as i);
      room := room - cardinality(ids);
      update carillon.shares s set turn = share.turn + cardinality(ids) / owner.weight::double precision
      where s.lane_id = on_lane and s.campaign_id = share.id;
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

-- Puts off the person whom the next plan of this campaign would take, as no attempt can be made for them.
create function carillon.put_off(on_lane integer, of_campaign uuid, open_places text[]) returns bigint
language plpgsql as $$
declare
  owner carillon.campaigns%rowtype;
  policy carillon.policies%rowtype;
  share carillon.shares%rowtype;
  person bigint;
begin
  select * into owner from carillon.campaigns c where c.id = of_campaign;
  select * into share from carillon.shares s where s.lane_id = on_lane and s.campaign_id = of_campaign;
  select * into policy from carillon.policies p order by p.version desc limit 1;
  if owner.ignores_policy or num_nonnulls(policy.caps, policy.gap, policy.conversation) = 0 then policy := null; end if;
  person := (carillon.claim_people(owner, open_places, 1, share.turn, policy))[1];
  update carillon.recipients r set next_at = clock_timestamp() + interval '10 minutes', updated_at = now()
  where r.id = person;
  return person;
end $$;

-- The pool: which numbers a campaign may call from with a key, how many more calls each may make, and which of them
-- calls a person. A campaign without caller numbers asks none of this.

-- A number of a campaign's pool. `most`: how many more calls of the campaign it may make now (null: any number).
create type carillon.pooled as (
  caller jsonb, name text, number_id text, states text[], code text, rest text, most integer);

create function carillon.caller_named(caller jsonb) returns text language sql immutable as
$$ select coalesce(caller ->> 'number', caller ->> 'numberId', '') $$;

-- Whether a key's account has a number. A key that has not listed its numbers may have any.
create function carillon.may_call_from(caller jsonb, lane integer) returns boolean language sql stable as $$
  select not exists (select from carillon.caller_keys k where k.lane_id = lane) or exists (
    select from carillon.caller_keys k join carillon.caller_numbers n on n.name = k.name
    where k.lane_id = lane and carillon.caller_named(caller) in (n.name, n.number_id))
$$;

-- The number's row under its name; a number that an order names by its id has its E.164 as soon as a list tells it.
create function carillon.known_number(named text) returns carillon.caller_numbers language sql stable as $$
  select n from carillon.caller_numbers n where n.name = named or n.number_id = named
  order by n.number_id = named desc nulls last limit 1
$$;

-- The calls of a number over all campaigns: in progress, and of the last 24 hours. An attempt that is unknown is in
-- progress while it keeps its phone. planned: those that wait in a queue count too.
create function carillon.caller_load(
  of_name text, of_id text, moment timestamptz, planned boolean, out live integer, out today integer)
language plpgsql stable as $$
declare
  since constant timestamptz := moment - interval '24 hours';
  earlier integer;
begin
  select count(*) filter (where a.state <> 'unknown' or a.phone_until > moment),
    count(*) filter (where a.state = 'planned' or greatest(a.dialing_at, a.repeated_at) > since)
  into live, today
  from carillon.attempts a
  where a.caller is not null and coalesce(a.caller ->> 'number', a.caller ->> 'numberId') = any (array[of_name, of_id])
    and (a.state in ('dialing', 'placed', 'unknown') or planned and a.state = 'planned');
  select count(*) into earlier from carillon.phone_calls p
  where p.caller is not null and p.caller = any (array[of_name, of_id]) and p.at > since;
  today := today + earlier;
end $$;

-- When each call of a number was made: those of the last 24 hours, and those in progress.
create function carillon.caller_calls(of_name text, of_id text, moment timestamptz) returns setof timestamptz
language sql stable as $$
  select p.at from carillon.phone_calls p
  where p.caller is not null and p.caller = any (array[of_name, of_id]) and p.at > moment - interval '24 hours'
  union all
  select greatest(a.dialing_at, a.repeated_at) from carillon.attempts a
  where a.caller is not null and coalesce(a.caller ->> 'number', a.caller ->> 'numberId') = any (array[of_name, of_id])
    and a.state in ('dialing', 'placed', 'unknown')
$$;

-- When a number that made `most` calls in the last 24 hours may make the next one.
create function carillon.caller_free_at(of_name text, of_id text, moment timestamptz, most integer)
returns timestamptz language sql stable as $$
  select x.at + interval '24 hours' from carillon.caller_calls(of_name, of_id, moment) as x(at)
  order by x.at desc offset most - 1 limit 1
$$;

-- The numbers that the order names and the key's account has, in the order's order.
create function carillon.pool_members(owner carillon.campaigns, lane integer) returns setof carillon.pooled
language sql stable as $$
  with listed as materialized (
    select n.* from carillon.caller_keys k join carillon.caller_numbers n on n.name = k.name
    where k.lane_id = lane
  ), members as (
    select t.nth, t.caller, coalesce(n.name, carillon.caller_named(t.caller)) as name, n.number_id, n.states, n.code, n.rest
    from jsonb_array_elements(owner.terms -> 'callers') with ordinality as t(caller, nth)
    cross join lateral carillon.known_number(carillon.caller_named(t.caller)) n
    where not t.caller ? 'listed'
      and (not exists (select from listed) or exists (select from listed l where l.name = n.name))
    union all
    select t.nth, case when starts_with(l.name, '+') then jsonb_build_object('number', l.name)
      else jsonb_build_object('numberId', l.name) end, l.name, l.number_id, l.states, l.code, l.rest
    from jsonb_array_elements(owner.terms -> 'callers') with ordinality as t(caller, nth)
    join listed l on t.caller ->> 'listed' = 'all' or t.caller ->> 'listed' = any (l.words)
  ), once as (
    select distinct on (m.name) m.* from members m order by m.name, m.nth
  )
  select (o.caller, o.name, o.number_id, coalesce(o.states, '{}'), o.code, o.rest, null)::carillon.pooled
  from once o order by o.nth, o.name
$$;

-- The numbers that may call now, and how many more calls each may make. A number that a person rests does not call. One
-- that rests by its answers calls only while all the others rest too: then they take turns as before, because nobody
-- ordered a campaign to stand still. A single call comes from the number that it names.
-- planned: attempts that wait in a queue count too.
create function carillon.pool_on(owner carillon.campaigns, lane integer, planned boolean) returns carillon.pooled[]
language plpgsql stable as $$
declare
  members carillon.pooled[] := array(select carillon.pool_members(owner, lane));
  rested constant boolean := owner.kind = 'list' and exists (select from unnest(members) m where m.rest is not null);
  limited constant boolean := owner.per_number_calls is not null or owner.per_number_day is not null;
  moment constant timestamptz := clock_timestamp();
  some_awake boolean;
begin
  if rested then
    some_awake := exists (select from unnest(members) m where m.rest is null);
    members := array(
      select (m.caller, m.name, m.number_id, m.states, m.code, m.rest, m.most)::carillon.pooled
      from unnest(members) with ordinality as m(caller, name, number_id, states, code, rest, most, nth)
      where m.rest is null or (m.rest <> 'hand' and not some_awake) order by m.nth);
  end if;
  if limited then
    members := array(
      select (m.caller, m.name, m.number_id, m.states, m.code, m.rest,
        greatest(0, least(owner.per_number_calls - l.live, owner.per_number_day - l.today)))::carillon.pooled
      from unnest(members) with ordinality as m(caller, name, number_id, states, code, rest, most, nth)
      cross join lateral carillon.caller_load(m.name, m.number_id, moment, planned) l
      order by m.nth);
  end if;
  return members;
end $$;

-- Chooses the number for each of these people, in their order: null where the pool has none left. The numbers take
-- turns, and nobody gets the number of their last call where there is another, but those who asked on it to be called
-- back. `local`: the numbers of the person's area code come first, then those of the state, then those of the country.
-- `sticky`: the number of a call that the person answered, or else of the last one, in any campaign.
create function carillon.choose_callers(owner carillon.campaigns, chosen bigint[], pool carillon.pooled[])
returns jsonb[] language plpgsql stable as $$
declare
  size constant integer := cardinality(pool);
  mode constant text := coalesce(owner.terms ->> 'caller', 'rotate');
  limited constant boolean := owner.per_number_calls is not null or owner.per_number_day is not null;
  found jsonb[] := '{}';
  who record;
  last text;
  known text;
  pick integer;
begin
  for who in
    select r.phone, r.place, r.row, r.attempts, r.callback_at, r.id from unnest(chosen) with ordinality as d(id, nth)
    join carillon.recipients r on r.id = d.id order by d.nth
  loop
    if size = 0 then
      found := array_append(found, null);
      continue;
    end if;
    pick := mod(who.row + who.attempts, size) + 1;
    if limited or mode <> 'rotate' or who.attempts > 0 then
      last := case when who.attempts > 0 then (
        select carillon.caller_named(e.caller) from carillon.ended_attempts e
        where e.recipient_id = who.id and e.caller is not null and e.state = 'done'
        order by e.number desc limit 1) end;
      known := case when who.callback_at is not null then last when mode = 'sticky' then (
        select carillon.caller_named(e.caller) from carillon.recipients o
        join carillon.ended_attempts e on e.recipient_id = o.id
        where o.phone = who.phone and e.caller is not null and e.state = 'done'
        order by e.outcome = 'answered' desc, e.ended_at desc limit 1) end;
      pick := (
        select m.nth from unnest(pool) with ordinality as m(caller, name, number_id, states, code, rest, most, nth)
        where m.most is null or m.most > 0
        order by
          known is not null and known in (m.name, coalesce(m.number_id, m.name)) desc,
          case when mode = 'local' then carillon.far_from(m.name, m.states, m.code, who.phone, who.place) end,
          last is not null and last in (m.name, coalesce(m.number_id, m.name)),
          mod(m.nth - pick + size, size)
        limit 1);
    end if;
    found := array_append(found, (pool[pick]).caller);
    if pick is not null and (pool[pick]).most is not null then
      pool[pick].most := (pool[pick]).most - 1;
    end if;
  end loop;
  return found;
end $$;

-- How far a number is from a person: 0 in one area code, 1 in one state, 2 in one country, 3 elsewhere. Area codes and
-- states are those of the North American plan.
create function carillon.far_from(name text, states text[], code text, phone text, place text) returns integer
language sql immutable as $$
  select case
    when starts_with(phone, '+1') and left(name, 5) = left(phone, 5) then 0
    when states && string_to_array(split_part(place, ';', 2), ',') then 1
    when code is null or not starts_with(phone, '+' || code) then 3
    when states = '{}' or split_part(place, ';', 2) = '' or exists (
      select from unnest(states) as n(state), unnest(string_to_array(split_part(place, ';', 2), ',')) as p(state)
      where left(n.state, 2) = left(p.state, 2)) then 2
    else 3 end
$$;

-- The number for one person; null where the campaign has none, or none of the pool may call now.
create function carillon.caller_for(of_campaign uuid, lane integer, person bigint) returns jsonb language sql stable as $$
  select case when c.has_callers
    then (carillon.choose_callers(c, array[person], carillon.pool_on(c, lane, true)))[1] end
  from carillon.campaigns c where c.id = of_campaign
$$;

-- How many more calls a pool has room for; null: any number.
create function carillon.pool_room(pool carillon.pooled[]) returns integer language sql immutable as $$
  select case when count(*) = 0 then 0 when bool_or(m.most is null) then null
    else least(sum(m.most), 1000000)::integer end from unnest(pool) m
$$;

-- Whether a campaign waits for its numbers, on every key that dials it: all are full or rest. until: when the first may
-- call again, where a time ends that, and not the end of a call or a person.
create function carillon.numbers_wait(of_campaign uuid, lanes integer[], out waits boolean, out until timestamptz)
language plpgsql stable as $$
declare
  owner carillon.campaigns%rowtype;
  moment constant timestamptz := clock_timestamp();
  lane integer;
  pool carillon.pooled[];
  soon boolean := false;
  free_at timestamptz;
  full_of record;
begin
  waits := false;
  select * into owner from carillon.campaigns c where c.id = of_campaign;
  if not owner.has_callers or cardinality(lanes) = 0 then return; end if;
  foreach lane in array lanes loop
    pool := carillon.pool_on(owner, lane, true);
    if coalesce(carillon.pool_room(pool), 1) > 0 then
      until := null;
      return;
    end if;
    for full_of in
      select l.live, l.today, m.name, m.number_id from unnest(pool) m
      cross join lateral carillon.caller_load(m.name, m.number_id, moment, true) l
    loop
      if full_of.today >= owner.per_number_day then
        free_at := carillon.caller_free_at(full_of.name, full_of.number_id, moment, owner.per_number_day);
        until := least(until, greatest(free_at, moment));
      else
        soon := true;
      end if;
    end loop;
  end loop;
  waits := true;
  if soon then until := null; end if;
end $$;

-- Which of these attempts find their number full, by the limits of their campaigns: only these, in their order, are
-- judged by the calls of everyone. It is a function because the calls must be counted after the numbers were locked: a
-- single statement would still see what was there before it waited.
create function carillon.full_callers(wants carillon.wanted[], asked uuid[], moment timestamptz) returns uuid[]
language plpgsql as $$
declare
  names text[];
begin
  names := array(
    select distinct coalesce(n.name, x.named)
    from unnest(asked) as w(id)
    join lateral (select carillon.caller_named(a.caller) as named from carillon.attempts a
      where a.id = w.id and a.caller is not null offset 0) x on true
    cross join lateral carillon.known_number(x.named) n
    order by 1);
  insert into carillon.caller_numbers (name) select x.name from unnest(names) as x(name) order by x.name
  on conflict (name) do nothing;
  perform 1 from carillon.caller_numbers n where n.name = any (names) order by n.name for no key update;
  return array(
    with tried as materialized (
      select j.id, n.name, n.number_id, c.per_number_calls, c.per_number_day,
        row_number() over (partition by n.name order by j.nth) as nth
      from unnest(wants) with ordinality as
        j(id, revision, opens, ticket, agent, policy, closes, hash, of, phone, keeps, bound, say, nth)
      join lateral (select carillon.caller_named(a.caller) as named from carillon.attempts a
        where a.id = j.id and a.caller is not null offset 0) x on true
      cross join lateral carillon.known_number(x.named) n
      join lateral (select y.per_number_calls, y.per_number_day from carillon.campaigns y where y.id = j.of offset 0) c
        on true
      where j.id = any (asked)
    ), loads as materialized (
      select t.name, l.live, l.today
      from (select distinct t.name, t.number_id from tried t) t
      cross join lateral carillon.caller_load(t.name, t.number_id, moment, false) l
    )
    select t.id from tried t join loads l on l.name = t.name
    where l.live + t.nth > t.per_number_calls or l.today + t.nth > t.per_number_day);
end $$;

-- Whether others have all places of an attempt's number, for a create that is sent again: it is one of the calls of the
-- number's day, but no longer in progress once it lost its phone. Locks as full_callers does.
create function carillon.number_is_full(own carillon.attempts, most integer) returns boolean language plpgsql as $$
declare
  number constant carillon.caller_numbers := carillon.known_number(carillon.caller_named(own.caller));
  calls integer;
begin
  if most is null or own.caller is null or own.phone_until > clock_timestamp() then return false; end if;
  perform from carillon.caller_numbers n where n.name = number.name for no key update;
  select l.live into calls from carillon.caller_load(
    coalesce(number.name, carillon.caller_named(own.caller)), number.number_id, clock_timestamp(), false) l;
  return calls >= most;
end $$;

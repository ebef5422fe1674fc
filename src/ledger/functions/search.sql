-- The filter: which of these people fit it, in their order. Every condition is here once, for the search, the lists,
-- the exports and the bulk acts; each of them brings the people in its own order, by an index, a limited number at a
-- time. The settings, and lookups by person, are there because a plan made while the tables were small must not scan
-- them when they have grown. wanted: {campaign, people, phones, parts, call, attempt, states, outcomes, key, callers,
-- since, until, variables: {name: text}}; what is left out or null is any. Conditions on an attempt must hold of one
-- and the same attempt.
create function carillon.matching(candidates bigint[], wanted jsonb) returns table (id bigint) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  w record;
  of_attempts boolean;
begin
  select * into w from jsonb_to_record(wanted) as x(campaign uuid, people bigint[], phones text[], parts text[], call text, attempt uuid,
    states text[], outcomes text[], key text, callers text[], since timestamptz, until timestamptz, variables jsonb);
  of_attempts := num_nonnulls(w.call, w.attempt, w.key, w.callers) > 0;
  return query
  select r.id from unnest(candidates) with ordinality as c(id, nth)
  cross join lateral (select * from carillon.recipients x where x.id = c.id offset 0) r
  cross join lateral (select d.deleted_at from carillon.campaigns d where d.id = r.campaign_id offset 0) d
  where d.deleted_at is null
    and (w.campaign is null or r.campaign_id = w.campaign)
    and (w.people is null or r.id = any (w.people))
    and (w.phones is null or r.phone = any (w.phones) or (r.several and exists (
      select from carillon.phones p where p.recipient_id = r.id and p.phone = any (w.phones))))
    and (w.parts is null or exists (select from carillon.people_words p where p.recipient_id = r.id
      and not exists (select from unnest(w.parts) part where strpos(p.words, part) = 0)))
    and (w.outcomes is null or r.outcome = any (w.outcomes))
    and (w.since is null or r.updated_at >= w.since)
    and (w.until is null or r.updated_at < w.until)
    and (w.states is null or case when r.state <> 'live' then r.state
      else (select carillon.seen_as(a.state) from carillon.attempts a where a.recipient_id = r.id) end = any (w.states))
    and (w.variables is null or not exists (select from jsonb_each_text(w.variables) v
      where v.value is distinct from coalesce(carillon.variables_of(r.input, r.variables) ->> v.key, r.input ->> v.key)))
    and (not of_attempts or exists (
      select from (
        select a.id, a.call_id, a.lane_id, a.caller from carillon.attempts a where a.recipient_id = r.id
        union all
        select e.id, e.call_id, e.lane_id, e.caller from carillon.ended_attempts e where e.recipient_id = r.id
          -- A withdrawn plan has no call; only its id finds it.
          and (w.attempt is not null or e.state <> 'dropped' or e.was not in ('planned', 'parked'))
      ) t
      where (w.attempt is null or t.id = w.attempt) and (w.call is null or t.call_id = w.call)
        and (w.key is null or exists (select from carillon.lanes l where l.id = t.lane_id and l.name = w.key))
        and (w.callers is null or coalesce(t.caller ->> 'number', t.caller ->> 'numberId') = any (w.callers))))
  order by c.nth;
end $$;

-- The people of an attempt, or of a call of the service, newest first. No index covers the calls of live attempts,
-- because there are few.
create function carillon.people_of_call(of_call text, of_attempt uuid) returns setof bigint language plpgsql stable
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select distinct t.recipient_id from (
    select a.recipient_id from carillon.attempts a where of_call is null and a.id = of_attempt
    union all
    select e.recipient_id from carillon.ended_attempts e where of_call is null and e.id = of_attempt
    union all
    select a.recipient_id from carillon.attempts a where a.call_id = of_call
    union all
    select e.recipient_id from carillon.ended_attempts e where e.call_id = of_call
  ) t order by 1 desc;
end $$;

-- The next attempts of a campaign, person by person in the order in which people were added: found through the
-- attempts, because a list of many people may have few. A plan that was withdrawn before it was dialled is left out.
create function carillon.attempts_after(of_campaign uuid, of_recipient bigint, of_attempt uuid, most integer)
returns table (recipient bigint, attempt uuid) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select t.recipient_id, t.id from (
    (select e.recipient_id, e.id from carillon.ended_attempts e
     where e.campaign_id = of_campaign and e.recipient_id >= of_recipient
       and (e.recipient_id > of_recipient or e.id > of_attempt)
       and (e.state <> 'dropped' or e.was not in ('planned', 'parked'))
     order by e.recipient_id, e.id limit most)
    union all
    (select a.recipient_id, a.id from carillon.attempts a
     where a.campaign_id = of_campaign and a.recipient_id >= of_recipient
       and (a.recipient_id > of_recipient or a.id > of_attempt)
     order by a.recipient_id, a.id limit most)
  ) t order by t.recipient_id, t.id limit most;
end $$;

-- The ways into the table of people, each in its order: functions only because of their settings.
create function carillon.people_of_campaign(of_campaign uuid, after_row integer, after_id bigint, most integer)
returns table (id bigint, at integer) language plpgsql stable
set enable_seqscan = off set enable_sort = off set jit = off
as $$
begin
  return query
  select r.id, r.row from carillon.recipients r
  where r.campaign_id = of_campaign and (r.row, r.id) > (after_row, after_id) order by r.row, r.id limit most;
end $$;

-- Newest first. `at` is in microseconds, so that two moves in one millisecond have an order.
create function carillon.people_moved(before_at double precision, before_id bigint, since timestamptz, most integer)
returns table (id bigint, at bigint) language plpgsql stable
set enable_seqscan = off set enable_sort = off set jit = off
as $$
begin
  return query
  select r.id, (extract(epoch from r.updated_at) * 1000000)::bigint from carillon.recipients r
  where (r.updated_at, r.id) < (timestamptz 'epoch' + before_at * interval '1 microsecond', before_id)
    and r.updated_at >= coalesce(since, '-infinity')
  order by r.updated_at desc, r.id desc limit most;
end $$;

-- Of each campaign that runs, the people who wait first, in the order in which the planner takes them: those whose hours
-- are open before those whose hours are not; the first of each campaign before the second of any. open_places: the places
-- that are open now, by campaign; in one that is not named, all are.
create function carillon.people_next(of_service text, open_places jsonb, of_each integer, most integer)
returns setof bigint language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select w.id from carillon.campaigns c
  cross join lateral (
    select x.id, row_number() over (order by min(x.part), min(x.next_at), min(x.row)) as turn from (
      select r.* from jsonb_array_elements_text(open_places -> c.id::text) p(place)
      cross join lateral (
        select 1 as part, o.id, o.next_at, o.row from carillon.recipients o
        where o.campaign_id = c.id and o.place = p.place and o.state = 'waiting' and o.next_at <= now()
        order by o.next_at, o.row limit of_each
      ) r
      union all
      (select 2, r.id, r.next_at, r.row from carillon.recipients r
       where r.campaign_id = c.id and r.state = 'waiting' order by r.next_at, r.row limit of_each)
    ) x group by x.id order by turn limit of_each
  ) w
  where c.base_url = of_service and c.state = 'running' order by w.turn, c.id limit most;
end $$;

-- Looked up phone by phone: otherwise the order by id would tempt the planner to read the table from its end.
create function carillon.people_by_phone(phones text[], before_id bigint, most integer)
returns setof bigint language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select r.id from unnest(phones) p(phone)
  cross join lateral (select x as id from carillon.people_with(p.phone) x offset 0) r
  where r.id < before_id order by r.id desc limit most;
end $$;

-- The results of these people, in their order.
create function carillon.results_of(people bigint[]) returns setof carillon.results language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select r.* from unnest(people) with ordinality as x(id, nth)
  cross join lateral (select s.* from carillon.results s where s.id = x.id offset 0) r
  order by x.nth;
end $$;

-- The attempts of these people, those of one person in order.
create function carillon.tries_of_people(people bigint[]) returns setof carillon.tries language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  return query
  select t.* from unnest(people) x(id)
  cross join lateral (select a.* from carillon.tries a where a."ofRecipient" = x.id offset 0) t
  order by t."ofRecipient", t.id;
end $$;

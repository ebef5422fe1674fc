-- Changes to one person on a list while it is dialled. They are functions because each must read after it has locked
-- the row: a plan that is being made would be missed.

-- Changes what `want` has: phone, place, name, agent, variables (null removes one). Returns why not; null when it is
-- done. A phone changes only for a person who was never called; a planned person waits again.
create function carillon.change_person(person bigint, want jsonb) returns text language plpgsql as $$
declare
  r carillon.recipients%rowtype;
  renumbers boolean;
  wakes boolean;
begin
  select * into r from carillon.recipients x where x.id = person for update;
  if not found then return 'gone'; end if;
  if starts_with(r.phone, 'erased:') then return 'erased'; end if;
  renumbers := want ? 'phone' and want ->> 'phone' <> r.phone;
  if renumbers then
    if r.attempts > 0 or r.outcome is not null or r.state in ('done', 'rejected') or exists (
      select from carillon.attempts a where a.recipient_id = person and a.state in ('dialing', 'placed', 'unknown')
    ) then return 'called'; end if;
    if exists (select from carillon.recipients o
      where o.campaign_id = r.campaign_id and o.phone = carillon.known_as(r.campaign_id, want ->> 'phone') and o.ref = r.ref
    ) then return 'twice'; end if;
    if exists (select from carillon.barring(want ->> 'phone', r.campaign_id)) then return 'suppressed'; end if;
  end if;
  -- A plan may be in a dialer's hands with what was known, so it is dropped, unless the dialer was quicker.
  perform carillon.take_back(array(select a.id from carillon.attempts a where a.recipient_id = person),
    '{planned,parked}', 'changed', null, null);
  if renumbers and exists (select from carillon.attempts a where a.recipient_id = person) then return 'called'; end if;
  if r.several then
    update carillon.phones p set phone = coalesce(want ->> 'phone', p.phone), place = coalesce(want ->> 'place', p.place),
      passed = null
    where p.recipient_id = person and p.phone = r.phone and (want ? 'phone' or want ? 'place');
  end if;
  wakes := r.state = 'skipped' and r.reason like 'can never be called:%' and want ? 'place';
  update carillon.recipients x
  set phone = coalesce(want ->> 'phone', x.phone), place = coalesce(want ->> 'place', x.place),
    name = case when want ? 'name' then want ->> 'name' else x.name end,
    agent = case when want ? 'agent' then want ->> 'agent' else x.agent end,
    variables = case when want ? 'variables'
      then carillon.variables_of(x.input, x.variables) || (want -> 'variables') - array(
        select v.key from jsonb_each(want -> 'variables') v where v.value = 'null')
      else x.variables end,
    state = case when wakes then 'waiting' else x.state end,
    reason = case when wakes then null else x.reason end, updated_at = now()
  where x.id = person;
  insert into carillon.campaign_places (campaign_id, place)
  select r.campaign_id, want ->> 'place' where want ? 'place' on conflict do nothing;
  insert into carillon.history (recipient_id, kind, detail)
  select person, 'changed', string_agg(k, ', ' order by k) from jsonb_object_keys(want) k;
  return null;
end $$;

-- Takes a person off the list: skipped, or done with the last outcome, and not tried again. Returns why not; null when
-- it is done.
create function carillon.remove_person(person bigint) returns text language plpgsql as $$
declare
  r carillon.recipients%rowtype;
  live carillon.attempts%rowtype;
begin
  select * into r from carillon.recipients x where x.id = person for update;
  if not found then return 'gone'; end if;
  if starts_with(r.phone, 'erased:') then return 'erased'; end if;
  if r.reason = 'removed' and r.state in ('skipped', 'done') then return null; end if;
  if r.state = 'rejected' then return 'over'; end if;
  select * into live from carillon.attempts a where a.recipient_id = person;
  if live.state in ('dialing', 'placed') then return 'live'; end if;
  if live.state = 'unknown' then return 'unknown'; end if;
  if live.id is not null then
    perform carillon.end_attempts(array[live.id], '{planned,parked}', 'dropped', 'removed', null);
    -- A dialer may have opened it just now.
    if exists (select from carillon.attempts a where a.recipient_id = person) then return 'live'; end if;
  end if;
  update carillon.recipients x
  set state = case when x.state = 'done' then 'done' else carillon.end_state(x.outcome) end, reason = 'removed',
    updated_at = now()
  where x.id = person;
  insert into carillon.history (recipient_id, kind, detail) values (person, 'removed', null);
  return null;
end $$;

-- Whether a person was called, or may have been: their row stays as it was for the call.
create function carillon.was_called(r carillon.recipients, attempt_state text) returns boolean language sql immutable as
$$ select r.attempts > 0 or r.redials > 0 or r.outcome is not null or r.state = 'done'
  or (r.state = 'live' and coalesce(attempt_state not in ('planned', 'parked'), true)) $$;

-- Lays a list's row over a person who is on the list already, by the rule of the request: keep, merge (of columns) or
-- replace. A person who was called is kept whatever the rule; a person whom the service refused is replaced, because
-- the row was repaired. `own_place`: the row itself says where the person is. `changes`: whether anything would change.
create function carillon.laid_over(rule text, r carillon.recipients, attempt_state text, new_input jsonb, new_variables jsonb,
  new_name text, new_agent text, new_place text, own_place boolean)
returns table (input jsonb, variables jsonb, name text, agent text, place text, changes boolean) language sql immutable as $$
  select n.*, (n.input, carillon.variables_of(n.input, n.variables), n.name, n.agent, n.place)
    is distinct from (r.input, carillon.variables_of(r.input, r.variables), r.name, r.agent, r.place)
  from (
    select case when r.state = 'rejected' then 'replace' when carillon.was_called(r, attempt_state) then 'keep' else rule end
  ) x(rule)
  cross join lateral (
    select r.input, r.variables, r.name, r.agent, r.place where x.rule = 'keep'
    union all
    select r.input || new_input,
      carillon.variables_of(r.input, r.variables) || carillon.variables_of(new_input, new_variables),
      coalesce(new_name, r.name), coalesce(new_agent, r.agent), case when own_place then new_place else r.place end
    where x.rule = 'merge'
    union all
    select new_input, new_variables, new_name, new_agent, new_place where x.rule = 'replace'
  ) n
$$;

-- The people of a campaign as an import finds them once a run's order is in force: people who had as many attempts as
-- it allows are done, and people who were done may wait again. This mirrors campaigns/change and campaigns/renewable,
-- and changes nothing; a test compares them. `spends`: the order allows fewer attempts than before; `renews`: it allows
-- more.
create function carillon.expected_people(
  of_campaign uuid, spends boolean, renews boolean, most integer, retried text[]
) returns table (
  phone text, ref text, state text, outcome text, reason text, uncalled boolean, comes_back boolean, was_called boolean, has_plan boolean
) language sql stable as $$
  select r.phone, r.ref,
    case
      when spends and r.state = 'waiting' and r.outcome is not null and r.attempts >= carillon.most_tries(most, r) then 'done'
      when renews and r.state = 'done' and r.reason is null and r.erased_at is null and r.outcome = any (retried)
        and r.attempts < carillon.most_tries(most, r)
        and (r.several or not exists (select from carillon.barring(r.phone, of_campaign))) then 'waiting'
      when a.id is null then r.state
      else carillon.seen_as(a.state) end,
    r.outcome, r.reason, r.attempts = 0, carillon.comes_back(r.state, r.reason, r.outcome, false),
    carillon.was_called(r, a.state), coalesce(a.state in ('planned', 'parked'), false)
  from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.campaign_id = of_campaign $$;

-- A digest of people: all that reaches a call of theirs, where each of them is, and the latest attempt that was sent. Those
-- are meant who have the phone; or, of a campaign, who had one of the outcomes, or without outcomes whom it has yet to call. A
-- plan that nothing was sent of is no attempt: it comes and goes by itself.
create function carillon.people_digest(of_campaign uuid, outcomes text[], of_phone text) returns text language sql stable as $$
  select encode(sha256(coalesce(string_agg(sha256(convert_to(jsonb_build_array(
      r.id, r.phone, r.name, r.agent, r.place, r.override, carillon.variables_of(r.input, r.variables), r.outcome, r.attempts, r.reason,
      outcomes is not null and exists (select from carillon.barring(r.phone, r.campaign_id)),
      case when a.state in ('dialing', 'placed', 'unknown') then a.state when a.state = 'planned' then 'waiting' else r.state end,
      case when a.state in ('dialing', 'placed', 'unknown') then a.id when r.attempts > 0 then (
        select e.id from carillon.ended_attempts e where e.recipient_id = r.id and e.state <> 'dropped'
        order by e.number desc, e.ended_at desc limit 1) end,
      case when r.several then (
        select jsonb_agg(jsonb_build_array(p.phone, p.place, p.passed) order by p.nth)
        from carillon.phones p where p.recipient_id = r.id) end)::text, 'UTF8')), '' order by r.id), '')), 'base64')
  from (
    select x.* from carillon.recipients x
    where of_phone is null and x.campaign_id = of_campaign
      and (x.outcome = any (outcomes) or (outcomes is null and x.state in ('waiting', 'parked', 'live')))
    union all
    select x.* from carillon.people_with(of_phone) p(id)
    cross join lateral (select y.* from carillon.recipients y where y.id = p.id offset 0) x
    where of_phone is not null
  ) r left join carillon.attempts a on a.recipient_id = r.id $$;

-- People are found by a part of the phone or the name, in any case and without accents. Only built-in functions are
-- used, so that what is stored does not depend on ours.
create function carillon.folded(given text) returns text language sql immutable parallel safe as
$$ select case when octet_length(given) = length(given) then lower(given)
  else lower(regexp_replace(normalize(given, nfd), '[\u0300-\u036f]', '', 'g')) end $$;

-- Null for an erased person, whom nobody can find by a part any more.
create function carillon.words_of(phone text, name text) returns text language sql immutable parallel safe as
$$ select case when not starts_with(phone, 'erased:')
  then ltrim(phone, '+') || coalesce(' ' || carillon.folded(left(name, 200)), '') end $$;

-- An import must not wait for the index: only the range of a long list is noted, in the same transaction.
create function carillon.keep_words() returns trigger language plpgsql as $$
declare
  n integer;
begin
  if tg_op = 'DELETE' then
    delete from carillon.people_words w using stale s where w.recipient_id = s.id;
    return null;
  end if;
  select count(*) into n from (select from fresh limit 51) x;
  if n > 50 then
    insert into carillon.people_words_fill (first, last) select min(f.id), max(f.id) from fresh f;
  else
    insert into carillon.people_words (recipient_id, words)
    select x.id, x.words from (select f.id, carillon.words_of(f.phone, f.name) as words from fresh f offset 0) x
    where x.words is not null;
  end if;
  return null;
end $$;
create trigger recipients_named after insert on carillon.recipients referencing new table as fresh
  for each statement execute function carillon.keep_words();
create trigger recipients_unnamed after delete on carillon.recipients referencing old table as stale
  for each statement execute function carillon.keep_words();

-- The words of a person, with all numbers of one who has several.
create function carillon.words_of_person(r carillon.recipients) returns text language sql stable as $$
  select case when not r.several then carillon.words_of(r.phone, r.name)
    else carillon.words_of(r.phone, r.name) || coalesce((
      select ' ' || string_agg(ltrim(p.phone, '+'), ' ' order by p.nth) from carillon.phones p
      where p.recipient_id = r.id and p.phone not in ('', r.phone)), '') end $$;

create function carillon.change_words() returns trigger language plpgsql as $$
begin
  if carillon.words_of(new.phone, new.name) is null then
    delete from carillon.people_words w where w.recipient_id = new.id;
  else
    insert into carillon.people_words (recipient_id, words) values (new.id, carillon.words_of_person(new))
    on conflict (recipient_id) do update set words = excluded.words;
  end if;
  return null;
end $$;
-- Moves of a row, which are many, set neither.
create trigger recipients_renamed after update of phone, name on carillon.recipients for each row
  when (old.phone is distinct from new.phone or old.name is distinct from new.name)
  execute function carillon.change_words();

-- The numbers of people come after the people. Those of a long list are taken in with the list.
create function carillon.add_words() returns trigger language plpgsql as $$
begin
  update carillon.people_words w set words = carillon.words_of_person(r)
  from (select distinct f.recipient_id from fresh f) f join carillon.recipients r on r.id = f.recipient_id
  where w.recipient_id = r.id;
  return null;
end $$;
create trigger phones_named after insert on carillon.phones referencing new table as fresh
  for each statement execute function carillon.add_words();

-- Takes in some of the noted people, latest first. Their rows are locked: a person who is erased or deleted meanwhile
-- must not stay in the index. Returns whether more may be left.
create function carillon.fill_words(most integer) returns boolean language plpgsql
set enable_seqscan = off set jit = off
as $$
declare
  range record;
  seen integer;
  reached bigint;
begin
  select f.ctid as place, f.first, f.last into range from carillon.people_words_fill f
  order by f.last desc limit 1 for update skip locked;
  if not found then return false; end if;
  with older as materialized (
    select r.id, carillon.words_of_person(r) as words from carillon.recipients r
    where r.id between range.first and range.last order by r.id desc limit most for key share of r
  ), kept as (
    insert into carillon.people_words (recipient_id, words) select o.id, o.words from older o where o.words is not null
    on conflict (recipient_id) do nothing
  )
  select count(*), min(o.id) into seen, reached from older o;
  if seen < most then delete from carillon.people_words_fill f where f.ctid = range.place;
  else update carillon.people_words_fill f set last = reached - 1 where f.ctid = range.place;
  end if;
  return true;
end $$;

-- People whose phone or name has all of these parts, who was called last first, then the newest: among at most three
-- thousand who have them and the two thousand of all people who moved last, so that nothing is read whole. The parts are
-- folded and have no wildcard; each gets its own plan, because the numbers of matches differ widely. The index knows no
-- part of fewer than three letters: such a one only narrows what the others find.
create function carillon.people_by_parts(parts text[], of_campaign uuid, before_at double precision, before_id bigint,
  most integer)
returns table (id bigint, at bigint) language plpgsql stable
set jit = off
as $$
declare
  wanted text := (select string_agg(case when length(p) < 3 then format('strpos(w.words, %L) > 0', p)
    else format('w.words like %L', '%' || p || '%') end, ' and ') from unnest(parts) p)
    || case when of_campaign is null then '' else format(
    ' and exists (select from carillon.recipients r where r.id = w.recipient_id and r.campaign_id = %L)', of_campaign) end;
begin
  return query execute format(
    'select x.id, x.at from (
      select r.id, case when r.attempts > 0 or r.state = ''live''
        then (extract(epoch from r.updated_at) * 1000000)::bigint else 0 end as at
      from (
        (select w.recipient_id as id from carillon.people_words w where %1$s limit 3000)
        union
        select w.recipient_id from (
          select m.id from carillon.recipients m order by m.updated_at desc, m.id desc limit 2000
        ) l cross join lateral (select * from carillon.people_words p where p.recipient_id = l.id offset 0) w where %1$s
      ) f cross join lateral (select * from carillon.recipients p where p.id = f.id offset 0) r
    ) x where (x.at, x.id) < ($1, $2) order by x.at desc, x.id desc limit $3', wanted)
    using before_at, before_id, most;
end $$;

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

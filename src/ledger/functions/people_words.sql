-- How people are found by a part of the phone or the name: in any case and without accents. Only built-in functions, so
-- that what is stored does not depend on ours.
create function carillon.folded(given text) returns text language sql immutable parallel safe as
$$ select case when octet_length(given) = length(given) then lower(given)
  else lower(regexp_replace(normalize(given, nfd), '[\u0300-\u036f]', '', 'g')) end $$;

-- Null of someone who was erased: nobody finds that person by a part any more.
create function carillon.words_of(phone text, name text) returns text language sql immutable parallel safe as
$$ select case when not starts_with(phone, 'erased:')
  then ltrim(phone, '+') || coalesce(' ' || carillon.folded(left(name, 200)), '') end $$;

create function carillon.keep_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into carillon.people_words (recipient_id, words)
    select x.id, x.words from (select f.id, carillon.words_of(f.phone, f.name) as words from fresh f offset 0) x
    where x.words is not null;
  else
    delete from carillon.people_words w using stale s where w.recipient_id = s.id;
  end if;
  return null;
end $$;
create trigger recipients_named after insert on carillon.recipients referencing new table as fresh
  for each statement execute function carillon.keep_words();
create trigger recipients_unnamed after delete on carillon.recipients referencing old table as stale
  for each statement execute function carillon.keep_words();

create function carillon.change_words() returns trigger language plpgsql as $$
begin
  if carillon.words_of(new.phone, new.name) is null then
    delete from carillon.people_words w where w.recipient_id = new.id;
  else
    insert into carillon.people_words (recipient_id, words) values (new.id, carillon.words_of(new.phone, new.name))
    on conflict (recipient_id) do update set words = excluded.words;
  end if;
  return null;
end $$;
-- Moves of a row, which are many, set neither.
create trigger recipients_renamed after update of phone, name on carillon.recipients for each row
  when (old.phone is distinct from new.phone or old.name is distinct from new.name)
  execute function carillon.change_words();

-- Those who were there before the triggers: anyone who comes later is taken in by these, as they lock the table for a moment.
insert into carillon.people_words_fill (below)
select max(r.id) + 1 from carillon.recipients r
where not exists (select from carillon.people_words) and not exists (select from carillon.people_words_fill)
having max(r.id) is not null;

-- Takes in some of them, the newest first; one process at a time. Returns whether more are left.
create function carillon.fill_words(most integer) returns boolean language plpgsql
set enable_seqscan = off set jit = off
as $$
declare
  upto bigint;
  reached bigint;
begin
  select f.below into upto from carillon.people_words_fill f for update skip locked;
  if upto is null then return false; end if;
  with older as (
    select r.id, r.phone, r.name from carillon.recipients r where r.id < upto order by r.id desc limit most
  ), kept as (
    insert into carillon.people_words (recipient_id, words)
    select s.id, carillon.words_of(s.phone, s.name) from older s where carillon.words_of(s.phone, s.name) is not null
    on conflict (recipient_id) do nothing
  )
  select min(s.id) into reached from older s;
  if reached is null then delete from carillon.people_words_fill;
  else update carillon.people_words_fill set below = reached;
  end if;
  return reached is not null;
end $$;

-- People whose phone or name has all of these parts, the latest first of at most a thousand who have them. The parts are
-- folded and have no wildcard; a plan is made for each, as the number of those who have one differs by far.
create function carillon.people_by_parts(parts text[], of_campaign uuid, before_id bigint, most integer)
returns setof bigint language plpgsql stable
set jit = off
as $$
declare
  wanted text := (select string_agg(format('w.words like %L', '%' || p || '%'), ' and ') from unnest(parts) p);
  here text := case when of_campaign is null then '' else format(
    'and exists (select from carillon.recipients r where r.id = w.recipient_id and r.campaign_id = %L)', of_campaign) end;
begin
  return query execute format(
    'select x.id from (select w.recipient_id as id from carillon.people_words w where %s %s limit 1000) x
     where x.id < %s order by x.id desc limit %s', wanted, here, before_id, most);
end $$;

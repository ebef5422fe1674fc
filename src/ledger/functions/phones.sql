-- People with several numbers: one call at a time over all of them.

-- The numbers that the attempt of a person who has several keeps while it is live. It is asked only for those: the call of
-- a function costs a plan more than all else that people with one number need.
create function carillon.phones_of(person bigint) returns text[] language sql stable as $$
  select array(
    select r.phone from carillon.recipients r where r.id = person
    union
    select p.phone from carillon.phones p where p.recipient_id = person and p.passed is null
    order by 1) $$;

-- The numbers that an attempt keeps while it is live.
create function carillon.kept_by(phone text, keeps text[]) returns text[] language sql immutable as
$$ select case when keeps is null then array[phone] else keeps end $$;

-- People who have this number, whether it is the one that is called next or another.
create function carillon.people_with(of_phone text) returns setof bigint language sql stable as $$
  select r.id from carillon.recipients r where r.phone = of_phone
  union
  select p.recipient_id from carillon.phones p where p.phone = of_phone $$;

-- Where a person is on one of their numbers.
create function carillon.place_of(person carillon.recipients, of_phone text) returns text language sql stable as $$
  select case when person.several then coalesce(
    (select p.place from carillon.phones p where p.recipient_id = person.id and p.phone = of_phone limit 1), person.place)
    else person.place end $$;

-- The number under which a person of a list stands there: this one, or another if the person has this one too. It is found
-- by the number, also while the server does not know yet how long the list is.
create function carillon.known_as(of_campaign uuid, of_phone text) returns text language sql stable as $$
  select coalesce((
    select r.phone from carillon.phones p join carillon.recipients r on r.id = p.recipient_id
    where p.phone = of_phone and p.campaign_id is not distinct from of_campaign limit 1), of_phone) $$;

-- Whether another attempt has one of these numbers. Each is looked up by key, also by a plan made on an empty ledger.
create function carillon.others_have(numbers text[], attempt uuid) returns boolean language sql stable as $$
  select exists (select from unnest(numbers) as k(phone) where exists (
    select from carillon.live_phones p where p.phone = k.phone and p.attempt_id <> attempt offset 0)) $$;

-- Whether none of a person's other numbers is in use.
create function carillon.others_free(person bigint) returns boolean language sql stable as $$
  select not exists (
    select from carillon.phones p where p.recipient_id = person and p.passed is null and exists (
      select from carillon.phones_in_use u where u.phone = p.phone offset 0)) $$;

-- The number that a person is called on after this one: the next in their order that may be called, and behind the last the
-- first again. `ahead`: it was not tried in this round. None where no other number is left.
create function carillon.phone_after(person bigint, of_campaign uuid, of_ref text, current text)
returns table (phone text, place text, ahead boolean) language sql stable as $$
  select p.phone, p.place, p.nth > c.nth
  from (select coalesce(min(x.nth), 0) as nth from carillon.phones x where x.recipient_id = person and x.phone = current) c
  join carillon.phones p on p.recipient_id = person and p.passed is null and p.phone <> current
  where not exists (select from carillon.barring(p.phone, of_campaign))
    and not exists (select from carillon.recipients o
      where o.phone = p.phone and o.campaign_id = of_campaign and o.ref = of_ref and o.id <> person)
  order by p.nth > c.nth desc, p.nth limit 1 $$;

-- Frees these numbers, as far as the attempt has them.
create function carillon.free_phones(attempt uuid, keeps text[]) returns void language sql as $$
  delete from carillon.live_phones p where p.phone = any (keeps) and p.attempt_id = attempt $$;

-- Whether a number of a person who has several was not tried in this round.
create function carillon.has_next_phone(person bigint, of_campaign uuid, of_ref text, current text) returns boolean
language sql stable as $$
  select coalesce((select n.ahead from carillon.phone_after(person, of_campaign, of_ref, current) n), false) $$;

-- A person with several numbers turns to the next one when they wait again after a call on this one that reached nobody,
-- when it may not be called any more, or when the service refuses it. It is a trigger so that no verb can forget it: only
-- where no number is left, the person is skipped, rejected or done as the verb says.
create function carillon.turn_phone() returns trigger language plpgsql as $$
declare
  other record;
  delay double precision;
begin
  if new.state <> 'waiting' and new.reason is distinct from 'suppressed' then
    update carillon.phones p set passed = coalesce(new.reason, 'refused')
    where p.recipient_id = new.id and p.phone = new.phone;
  end if;
  select * into other from carillon.phone_after(new.id, new.campaign_id, new.ref, new.phone);
  if not found then return new; end if;
  if new.state <> 'waiting' and new.outcome is not null and not other.ahead then
    -- All others were called in this round: the next one begins when the order's rule says, if it has one.
    select (c.terms -> 'retry' -> new.outcome ->> -1)::double precision into delay
    from carillon.campaigns c where c.id = new.campaign_id;
    if delay is null then
      if new.state = 'rejected' then
        new.state := 'done';
        new.reason := null;
      end if;
      return new;
    end if;
    new.next_at := greatest(new.next_at, now() + make_interval(secs => delay));
  end if;
  new.phone := other.phone;
  new.place := other.place;
  if new.held is not null then
    new.next_at := greatest(now(), new.retry_at);
    new.held := null;
    new.held_under := null;
    new.retry_at := null;
  end if;
  if new.state <> 'waiting' then
    insert into carillon.history (recipient_id, kind, detail) values (new.id, 'passed', new.reason);
    new.state := 'waiting';
    new.reason := null;
    -- The wish was told on the other number.
    new.callback_at := null;
  end if;
  return new;
end $$;
create trigger recipients_phone before update of state on carillon.recipients for each row
when (old.several and new.phone = old.phone and new.state <> old.state and (
  new.state = 'rejected'
  or (new.state in ('skipped', 'done') and (new.reason = 'suppressed' or new.reason like 'can never be called:%'))
  or (new.state = 'waiting' and new.redials = old.redials
    and (old.state = 'done' or (old.state = 'live' and new.attempts > old.attempts))
    and new.outcome in ('no-answer', 'busy', 'failed', 'voicemail'))))
execute function carillon.turn_phone();

-- People whom this ledger would call, and who may have been called in lost history, become unknown, so that a person
-- decides about each. Nobody dials meanwhile: every campaign rests until the ledger was confirmed.

-- Makes people unknown: a planned attempt becomes unknown itself; other people get another attempt, with the id that a
-- process noted for it, so that a late answer finds it. opens: as it was noted; keeps_phone_ms: how long each keeps its
-- phone. A person who is on a call becomes unknown when its end is known, if they would be called again: that call
-- ended in the lost part, but its result can still be read. A person who will not be called again stays as they are.
-- The contact rules under which people were called are lost as well, so the audit holds these attempts to none. Returns
-- how many of each campaign.
create function carillon.lose_people(
  people bigint[], noted uuid[], at timestamptz[], noted_opens integer[], keeps_phone_ms double precision)
returns table (campaign uuid, marked integer) language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  kept_until constant timestamptz := moment + make_interval(secs => keeps_phone_ms / 1000.0);
  words constant text := 'the ledger lost its history, and this person may have been called since';
begin
  return query
  with wanted as materialized (
    select distinct on (w.id) w.id, w.attempt, w.at, w.opens
    from unnest(people, noted, at, noted_opens) as w(id, attempt, at, opens) order by w.id, w.at desc
  ), locked as materialized (
    select r.id, r.campaign_id, r.phone, case when r.several then carillon.phones_of(r.id) end as keeps, r.attempts, r.state, w.attempt, coalesce(w.at, moment) as at, coalesce(w.opens, 0) as opens,
      (select l.id from carillon.lanes l join carillon.campaigns c on c.base_url = l.base_url
       where c.id = r.campaign_id order by l.state = 'open' desc, l.id limit 1) as lane
    from wanted w join carillon.recipients r on r.id = w.id
    where r.state in ('waiting', 'parked', 'live') order by r.id for update of r
  ), moved as (
    update carillon.attempts a
    set state = 'unknown', reason = 'lost-history', detail = words, dialing_at = h.at, expires_at = moment,
      phone_until = kept_until, opens = greatest(a.opens, h.opens), policy_version = null
    from locked h where a.recipient_id = h.id and h.state = 'live' and a.state in ('planned', 'parked')
    returning a.id, a.recipient_id, a.campaign_id, a.phone, a.keeps
  ), followed as (
    update carillon.attempts a
    set followed_by = coalesce(a.followed_by, '{}') || jsonb_build_object('attempt', h.attempt, 'at', h.at, 'opens', h.opens, 'keeps_phone_ms', keeps_phone_ms)
    from locked h where a.recipient_id = h.id and h.state = 'live' and a.state in ('placed', 'unknown') and a.call_id is not null
      and a.dialing_at < h.at and coalesce((a.followed_by ->> 'at')::timestamptz, '-infinity') < h.at
    returning a.campaign_id
  ), made as (
    insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, keeps, number, state, reason, detail, opens, planned_at,
      dialing_at, expires_at, phone_until)
    select coalesce(h.attempt, carillon.new_id()), h.campaign_id, h.id, h.lane, h.phone, h.keeps, h.attempts + 1, 'unknown',
      'lost-history', words, h.opens, h.at, h.at, moment, kept_until
    from locked h where h.state <> 'live' and h.lane is not null
    returning id, recipient_id, campaign_id, phone, keeps
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.unknown', m.campaign_id, array[m.recipient_id], array[m.id] from made m
  ), kept as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'unknown', words from made m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id)
    select k.phone, x.id from (select * from moved union all select * from made) x
    cross join lateral unnest(carillon.kept_by(x.phone, x.keeps)) as k(phone) order by k.phone
    on conflict (phone) do nothing
  ), rows as (
    update carillon.recipients r
    set state = 'live', reason = null, held = null, held_under = null, retry_at = null, updated_at = now()
    from made m where r.id = m.recipient_id
  )
  select x.campaign_id, count(*)::integer from (
    select m.campaign_id from moved m union all select m.campaign_id from made m union all select f.campaign_id from followed f
  ) x group by 1;
  perform carillon.share_phones(array(
    select k.phone from carillon.recipients r
    cross join lateral unnest(carillon.kept_by(r.phone, case when r.several then carillon.phones_of(r.id) end)) as k(phone)
    where r.id = any (people)));
end $$;

-- Only after lost history may a phone have several live attempts: the one that holds it passes it on when it is over.
create function carillon.share_phones(phones text[]) returns void language sql as $$
  update carillon.attempts h set followed_by = coalesce(h.followed_by, '{}') || '{"shares": true}'
  from carillon.live_phones p
  where p.phone = any (phones) and h.id = p.attempt_id and not coalesce(h.followed_by, '{}') ? 'shares' and exists (
    select from carillon.attempts o
    where p.phone = any (carillon.kept_by(o.phone, o.keeps)) and o.id <> h.id and o.state = 'unknown')
$$;

-- Runs in the transaction of the end, so that nobody plans the person, or takes the phone, in between.
create function carillon.doubt_next() returns trigger language plpgsql as $$
begin
  if old.followed_by ? 'shares' then
    insert into carillon.live_phones (phone, attempt_id)
    select k.phone, a.id from unnest(carillon.kept_by(old.phone, old.keeps)) as k(phone)
    cross join lateral (
      select x.id from carillon.attempts x
      where k.phone = any (carillon.kept_by(x.phone, x.keeps)) and x.state = 'unknown' and x.phone_until > clock_timestamp()
      order by x.phone_until desc, x.id limit 1
    ) a
    order by k.phone
    on conflict (phone) do nothing;
    perform carillon.share_phones(carillon.kept_by(old.phone, old.keeps));
  end if;
  if old.followed_by ? 'lost' then
    delete from carillon.lost_calls l where l.phone = old.followed_by ->> 'lost';
  end if;
  if old.followed_by ? 'at' then
    perform carillon.lose_people(array[r.id], array[(old.followed_by ->> 'attempt')::uuid],
      array[(old.followed_by ->> 'at')::timestamptz], array[(old.followed_by ->> 'opens')::integer],
      (old.followed_by ->> 'keeps_phone_ms')::double precision)
    from carillon.recipients r where r.id = old.recipient_id and r.state in ('waiting', 'parked');
  end if;
  return null;
end $$;
create trigger attempts_followed after delete on carillon.attempts
for each row when (old.followed_by is not null) execute function carillon.doubt_next();

-- A phone in the form of the journals: the same digest is made in src/dispatch/disk/journal.ts.
create function carillon.phone_digest(of_phone text) returns text language sql stable as $$
  select left(encode(sha256(convert_to(l.phone_key || ' ' || of_phone, 'UTF8')), 'hex'), 32) from carillon.ledger l
$$;

-- Takes a process's notes of the creates that it sent: [{attempt, recipient, campaign, opens, at, phone}]. Attempts
-- stay whose opening this ledger knows, or which it knows to be over. Returns how many of each campaign became unknown;
-- in a row without a campaign, how many notes are about people whom this ledger does not have, and how many of these
-- have a known phone.
create function carillon.lose_noted(notes jsonb, keeps_phone_ms double precision)
returns table (campaign uuid, marked integer, held integer) language plpgsql as $$
declare
  n record;
  -- A create that was noted earlier belongs to a deleted campaign: this ledger had it. Clocks of two machines differ by
  -- less.
  gone_from timestamptz;
begin
  select coalesce(l.known_until - interval '10 minutes', '-infinity') into gone_from from carillon.witnessed l;
  select array_agg(r.id) as people, array_agg(w.at) as times, array_agg(w.opens) as opens,
    array_agg(case when not exists (select from carillon.ended_attempts e where e.id = w.attempt) then w.attempt end)
      as attempts
  into n
  from jsonb_to_recordset(notes) as w(
    attempt uuid, recipient bigint, campaign uuid, opens integer, at timestamptz)
  join carillon.recipients r on r.id = w.recipient and r.campaign_id = w.campaign
  -- A plan that was withdrawn in this ledger may have been opened in the lost history.
  where not exists (select from carillon.ended_attempts e where e.id = w.attempt and not (
      e.state = 'dropped' and e.was in ('planned', 'parked')
      and coalesce(e.dialing_at, '-infinity') < w.at - interval '5 seconds'))
    and not exists (select from carillon.attempts a where a.id = w.attempt and (
      a.state not in ('planned', 'parked') or a.opens >= coalesce(w.opens, a.opens + 1)));
  -- An opening that this ledger shows may have been followed by another, which was sent: that the first was never noted
  -- no longer proves anything, so no journal may free it.
  update carillon.attempts a set journal = null
  from jsonb_to_recordset(notes) as w(attempt uuid, opens integer)
  where a.id = w.attempt and a.state in ('dialing', 'unknown') and a.call_id is null and a.opens < w.opens;
  return query select x.campaign, x.marked, null::integer
    from carillon.lose_people(n.people, n.attempts, n.times, n.opens, keeps_phone_ms) x;
  return query
  with missing as materialized (
    select w.* from jsonb_to_recordset(notes) as w(
      attempt uuid, recipient bigint, campaign uuid, opens integer, at timestamptz, phone text)
    where w.at > gone_from
      and not exists (select from carillon.recipients r where r.id = w.recipient and r.campaign_id = w.campaign)
      and not exists (select from carillon.ended_attempts e where e.id = w.attempt)
  ), kept as (
    insert into carillon.lost_calls as l (phone, attempt, at, opens, keeps_phone_ms)
    select distinct on (m.phone) m.phone, m.attempt, m.at, coalesce(m.opens, 1), lose_noted.keeps_phone_ms
    from missing m where m.phone is not null order by m.phone, m.at desc
    on conflict (phone) do update set attempt = excluded.attempt, at = excluded.at, opens = excluded.opens
      where excluded.at > l.at
  )
  select null::uuid, count(*)::integer, count(m.phone)::integer from missing m having count(*) > 0;
end $$;

-- Makes planned attempts unknown whose phone was called in the lost part. The first gets the id that was noted, so that
-- the service's record of that call finds it.
create function carillon.doubt_lost(planned uuid[]) returns void language plpgsql as $$
declare
  entry record;
begin
  for entry in
    select a.id, a.recipient_id, l.phone, l.attempt, l.at, l.opens, l.keeps_phone_ms
    from unnest(planned) as p(id) join carillon.attempts a on a.id = p.id
    join carillon.recipients r on r.id = a.recipient_id
    join lateral (select x.* from carillon.lost_calls x where x.phone = any (array(
      select carillon.phone_digest(k) from unnest(carillon.kept_by(a.phone, a.keeps)) as k)) order by x.at desc limit 1) l on true
    where a.state = 'planned' order by r.id for update of r
  loop
    update carillon.attempts a
    set id = case when exists (select from carillon.attempts o where o.id = entry.attempt)
        or exists (select from carillon.ended_attempts e where e.id = entry.attempt) then a.id else entry.attempt end,
      followed_by = jsonb_build_object('lost', entry.phone)
    where a.id = entry.id and a.state = 'planned';
    perform carillon.lose_people(array[entry.recipient_id], '{}', array[entry.at], array[entry.opens], entry.keeps_phone_ms);
  end loop;
end $$;

-- Makes people of a campaign unknown whom this ledger would call, at most this many. Returns how many became unknown.
create function carillon.lose_waiting(of_campaign uuid, most integer, keeps_phone_ms double precision) returns integer
language plpgsql as $$
declare
  people bigint[];
begin
  people := array(
    (select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'waiting' limit most)
    union all
    (select r.id from carillon.recipients r where r.campaign_id = of_campaign and r.state = 'parked' limit most)
    union all
    (select a.recipient_id from carillon.attempts a
      where a.campaign_id = of_campaign and a.state in ('planned', 'parked') limit most)
    union all
    (select a.recipient_id from carillon.attempts a
      join carillon.recipients r on r.id = a.recipient_id join carillon.campaigns c on c.id = a.campaign_id
      where a.campaign_id = of_campaign and a.call_id is not null and a.followed_by ->> 'at' is null
        and r.attempts + 1 < carillon.most_tries(c.max_attempts, r) limit most)
    limit most);
  return coalesce((select sum(x.marked)::integer
    from carillon.lose_people(people, '{}', '{}', '{}', keeps_phone_ms) x), 0);
end $$;

-- After history was lost: people whom this ledger would call, and who may have been called since, become unknown, so that a
-- person decides about each. Nobody dials meanwhile: every campaign rests until the ledger was confirmed.

-- Makes people unknown: of attempts that are planned the same attempt, of the others another one, with the id that a process
-- noted for it, so that a late answer finds it. opens: as it was noted; hold_ms: how long each keeps its phone. Someone
-- who is on a call becomes unknown when its end is known, if they would be called again: that call ended in the part that
-- is gone, but its result is still to be had. Someone who is not called any more stays as they are. Under which contact
-- rules somebody was called is lost as well: the audit asks these attempts for none. Returns how many of each campaign.
create function carillon.lose_people(
  people bigint[], noted uuid[], at timestamptz[], noted_opens integer[], hold_ms double precision)
returns table (campaign uuid, marked integer) language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  holds constant timestamptz := moment + make_interval(secs => hold_ms / 1000.0);
  words constant text := 'the ledger lost its history, and this person may have been called since';
begin
  return query
  with wanted as materialized (
    select distinct on (w.id) w.id, w.attempt, w.at, w.opens
    from unnest(people, noted, at, noted_opens) as w(id, attempt, at, opens) order by w.id, w.at desc
  ), held as materialized (
    select r.id, r.campaign_id, r.phone, r.attempts, r.state, w.attempt, coalesce(w.at, moment) as at, coalesce(w.opens, 0) as opens,
      (select l.id from carillon.lanes l join carillon.campaigns c on c.base_url = l.base_url
       where c.id = r.campaign_id order by l.state = 'open' desc, l.id limit 1) as lane
    from wanted w join carillon.recipients r on r.id = w.id
    where r.state in ('waiting', 'parked', 'live') order by r.id for update of r
  ), moved as (
    update carillon.attempts a
    set state = 'unknown', reason = 'lost-history', detail = words, dialing_at = h.at, expires_at = moment,
      holds_until = holds, opens = greatest(a.opens, h.opens), policy_version = null
    from held h where a.recipient_id = h.id and h.state = 'live' and a.state in ('planned', 'parked')
    returning a.id, a.recipient_id, a.campaign_id, a.phone
  ), followed as (
    update carillon.attempts a
    set followed_by = coalesce(a.followed_by, '{}') || jsonb_build_object('attempt', h.attempt, 'at', h.at, 'opens', h.opens, 'hold', hold_ms)
    from held h where a.recipient_id = h.id and h.state = 'live' and a.state in ('placed', 'unknown') and a.call_id is not null
      and a.dialing_at < h.at and coalesce((a.followed_by ->> 'at')::timestamptz, '-infinity') < h.at
    returning a.campaign_id
  ), made as (
    insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, state, reason, detail, opens, planned_at,
      dialing_at, expires_at, holds_until)
    select coalesce(h.attempt, carillon.new_id()), h.campaign_id, h.id, h.lane, h.phone, h.attempts + 1, 'unknown',
      'lost-history', words, h.opens, h.at, h.at, moment, holds
    from held h where h.state <> 'live' and h.lane is not null
    returning id, recipient_id, campaign_id, phone
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.unknown', m.campaign_id, array[m.recipient_id], array[m.id] from made m
  ), kept as (
    insert into carillon.history (recipient_id, attempt_id, kind, detail)
    select m.recipient_id, m.id, 'unknown', words from made m
  ), phones as (
    insert into carillon.live_phones (phone, attempt_id)
    select x.phone, x.id from (select * from moved union all select * from made) x order by x.phone
    on conflict (phone) do nothing
  ), rows as (
    update carillon.recipients r
    set state = 'live', reason = null, held = null, held_under = null, retry_at = null, updated_at = now()
    from made m where r.id = m.recipient_id
  )
  select x.campaign_id, count(*)::integer from (
    select m.campaign_id from moved m union all select m.campaign_id from made m union all select f.campaign_id from followed f
  ) x group by 1;
  perform carillon.share_phones(array(select r.phone from carillon.recipients r where r.id = any (people)));
end $$;

-- Only where history was lost, more than one attempt may be on a phone's line: the one that holds it leaves it to another,
-- when it is over.
create function carillon.share_phones(phones text[]) returns void language sql as $$
  update carillon.attempts h set followed_by = coalesce(h.followed_by, '{}') || '{"shares": true}'
  from carillon.live_phones p
  where p.phone = any (phones) and h.id = p.attempt_id and not coalesce(h.followed_by, '{}') ? 'shares' and exists (
    select from carillon.attempts o where o.phone = p.phone and o.id <> h.id and o.state = 'unknown')
$$;

-- In the transaction of the end, so that nobody plans the person, or takes the phone, in between.
create function carillon.doubt_next() returns trigger language plpgsql as $$
begin
  if old.followed_by ? 'shares' then
    insert into carillon.live_phones (phone, attempt_id)
    select a.phone, a.id from carillon.attempts a
    where a.phone = old.phone and a.state = 'unknown' and a.holds_until > clock_timestamp()
    order by a.holds_until desc, a.id limit 1
    on conflict (phone) do nothing;
    perform carillon.share_phones(array[old.phone]);
  end if;
  if old.followed_by ? 'at' then
    perform carillon.lose_people(array[r.id], array[(old.followed_by ->> 'attempt')::uuid],
      array[(old.followed_by ->> 'at')::timestamptz], array[(old.followed_by ->> 'opens')::integer],
      (old.followed_by ->> 'hold')::double precision)
    from carillon.recipients r where r.id = old.recipient_id and r.state in ('waiting', 'parked');
  end if;
  return null;
end $$;
create trigger attempts_followed after delete on carillon.attempts
for each row when (old.followed_by is not null) execute function carillon.doubt_next();

-- Of what a process noted when it sent its creates: [{attempt, recipient, campaign, opens, at}]. What this ledger knows as
-- well, or knows to be over, stays. Returns how many of each campaign became unknown; without one, how many notes are
-- about people whom this ledger does not have.
create function carillon.lose_noted(notes jsonb, hold_ms double precision)
returns table (campaign uuid, marked integer) language plpgsql as $$
declare
  n record;
begin
  select array_agg(r.id) as people, array_agg(w.at) as times, array_agg(w.opens) as opens,
    array_agg(case when not exists (select from carillon.ended_attempts e where e.id = w.attempt) then w.attempt end)
      as attempts
  into n
  from jsonb_to_recordset(notes) as w(
    attempt uuid, recipient bigint, campaign uuid, opens integer, at timestamptz)
  join carillon.recipients r on r.id = w.recipient and r.campaign_id = w.campaign
  -- A plan that was withdrawn in this ledger was perhaps opened in the history that is gone.
  where not exists (select from carillon.ended_attempts e where e.id = w.attempt and not (
      e.state = 'dropped' and e.was in ('planned', 'parked')
      and coalesce(e.dialing_at, '-infinity') < w.at - interval '5 seconds'))
    and not exists (select from carillon.attempts a where a.id = w.attempt and (
      a.state not in ('planned', 'parked') or a.opens >= coalesce(w.opens, a.opens + 1)));
  -- An opening that this ledger shows may have been followed by another, which was sent: that the first was never noted
  -- proves nothing any more, so that no journal frees it.
  update carillon.attempts a set journal = null
  from jsonb_to_recordset(notes) as w(attempt uuid, opens integer)
  where a.id = w.attempt and a.state in ('dialing', 'unknown') and a.call_id is null and a.opens < w.opens;
  return query select * from carillon.lose_people(n.people, n.attempts, n.times, n.opens, hold_ms);
  return query
  select null::uuid, count(*)::integer from jsonb_to_recordset(notes) as w(attempt uuid, recipient bigint, campaign uuid)
  where not exists (select from carillon.recipients r where r.id = w.recipient and r.campaign_id = w.campaign)
    and not exists (select from carillon.ended_attempts e where e.id = w.attempt)
  having count(*) > 0;
end $$;

-- Of everyone of a campaign whom this ledger would call: at most this many. Returns how many became unknown.
create function carillon.lose_waiting(of_campaign uuid, most integer, hold_ms double precision) returns integer
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
        and r.attempts + 1 < greatest(c.max_attempts, r.granted) limit most)
    limit most);
  return coalesce((select sum(x.marked)::integer
    from carillon.lose_people(people, '{}', '{}', '{}', hold_ms) x), 0);
end $$;

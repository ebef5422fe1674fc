-- Erases data of people. The append-only tables can be changed only by this function, which runs with the rights of the
-- ledger's owner. It takes rows that are over: a live attempt needs its phone. The row's counts stay: its place in the
-- list, state, outcome, attempts, cost, duration and hour, which reports are held to, our own numbers and agents, and the
-- service's id of the call. docs/guides/privacy.md lists each column; no text of anybody else's stays.
-- as_phone: the text in the phone's place (null: the phone stays, because only its age ends what is kept). Returns how
-- many people were erased.
create function carillon.scrub_people(people bigint[], as_phone text) returns integer language plpgsql
security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
as $$
declare
  scrubbed bigint[];
  calls uuid[];
begin
  with moved as (
    update carillon.recipients r
    set phone = case when as_phone is null then r.phone
        -- People whom a race added twice.
        when exists (select from carillon.recipients o where o.phone = as_phone and o.campaign_id = r.campaign_id
          and o.ref = r.ref and o.id <> r.id) then as_phone || '.' || r.id
        else as_phone end,
      name = null, input = '{}', variables = '{}', override = null, callback_at = null, traceparent = null,
      -- The reason decides whether a row that comes again may be called again.
      reason = case when as_phone is null and r.state <> 'rejected' then r.reason end,
      place = case when as_phone is null then r.place else '' end,
      updated_at = case when as_phone is null then r.updated_at else now() end, erased_at = now()
    where r.id = any (people) and r.state in ('done', 'skipped', 'rejected')
    returning r.id
  )
  select array(select m.id from moved m) into scrubbed;
  with moved as (
    update carillon.ended_attempts e
    set phone = coalesce(as_phone, e.phone), detail = null, provider_call_sid = null, contact_id = null, recording_url = null,
      transcript = null, structured_data = null, metadata = null, record = null, ended_reason = null, status = null,
      direction = null,
      -- A word of ours, by which caps and audits count; never words.
      reason = case when e.reason ~ '^[a-z-]+$' then e.reason end
    where e.recipient_id = any (scrubbed)
    returning e.id
  )
  select array(select m.id from moved m) into calls;
  if as_phone is not null then delete from carillon.phones p where p.recipient_id = any (scrubbed); end if;
  delete from carillon.refreshes f where f.attempt_id = any (calls);
  update carillon.judgements j set note = null where j.attempt_id = any (calls) and j.note is not null;
  delete from carillon.exchanges x where x.attempt_id = any (calls);
  update carillon.hang_ups h set detail = null where h.attempt_id = any (calls) and h.detail is not null;
  delete from carillon.history h where h.recipient_id = any (scrubbed);
  -- What a receiver answered to an event about them.
  update carillon.webhook_deliveries d set error = null
  from (
    select x.webhook_id, x.delivered, x.slot, ('x' || lpad(substr(x.event, 17, 12), 16, '0'))::bit(64)::bigint as number
    from carillon.webhook_deliveries x
    where x.error is not null and (x.type like 'attempt.%' or x.type like 'recipient.%') offset 0
  ) n
  cross join lateral (select v.* from carillon.events v where v.last >= n.number order by v.last limit 1) v
  where (d.webhook_id, d.delivered, d.slot) = (n.webhook_id, n.delivered, n.slot)
    and v.first <= n.number and v.recipients[n.number - v.first + 1] = any (scrubbed);
  update carillon.activity a set before = null, after = null
  where a.subject = any (array(select s::text from unnest(scrubbed) s union all select c::text from unnest(calls) c));
  return cardinality(scrubbed);
end $$;

-- Erases anyone who has this phone, as far as possible now: plans are withdrawn, calls in progress are to be hung up,
-- and what is over is erased. It must be called again while an attempt is live. An attempt that is unknown for longer
-- than it keeps its phone is ended: nobody can find out any more what became of it. It is a function because it must
-- wait for dialers that are opening an attempt on the phone, and see what they did: for that it takes the phone itself.
-- sealed_phone: kept until nothing is left (null: as it was); with_hash: of the person's number that was named, if this
-- is another
create function carillon.erase(of_phone text, of_hash text, sealed_phone text, with_hash text)
returns table (people integer, campaigns integer, calls uuid[], live integer, until timestamptz) language plpgsql as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  mark constant text := 'erased:' || of_hash;
begin
  if sealed_phone is not null then
    insert into carillon.erasures as e (hash, sealed, along) values (of_hash, sealed_phone, with_hash)
    on conflict (hash) do update set sealed = excluded.sealed, xid = excluded.xid;
  end if;
  -- First, because lanes and campaigns are locked before phones everywhere.
  perform carillon.scrub_words(array(
    select distinct r.name from carillon.recipients r
    where r.id = any (array(select carillon.people_with(of_phone))) and length(r.name) > 2));
  insert into carillon.live_phones (phone, attempt_id) values (of_phone, nobody) on conflict (phone) do nothing;
  delete from carillon.live_phones l where l.phone = of_phone and l.attempt_id = nobody;
  with found as (
    select r.id, a.id as attempt from carillon.recipients r
    left join carillon.attempts a on a.recipient_id = r.id
    where r.id = any (array(select carillon.people_with(of_phone)))
      and carillon.may_skip(r.state, a.state)
    order by r.id for update of r
  ), dropped as (
    select e.recipient_id from carillon.end_attempts(
      array(select f.attempt from found f where f.attempt is not null), '{planned,parked}', 'dropped', 'erased', null) e
  )
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), held = null, held_under = null, retry_at = null, updated_at = now()
  from found f where r.id = f.id and (f.attempt is null or r.id in (select d.recipient_id from dropped d));
  with ended as (
    select e.* from carillon.end_attempts(
      array(select a.id from carillon.attempts a
        where a.recipient_id = any (array(select carillon.people_with(of_phone))) and a.state = 'unknown' and a.phone_until < clock_timestamp()),
      '{unknown}', 'done', 'erased', null) e
  ), told as (
    insert into carillon.outbox (type, campaign_id, recipients, attempts)
    select 'attempt.done', e.campaign_id, array[e.recipient_id], array[e.id] from ended e
  )
  update carillon.recipients r set state = 'done', attempts = r.attempts + 1, updated_at = now()
  from ended e where r.id = e.recipient_id;
  update carillon.attempts a set sent = null, repeat_until = null
  where a.sent is not null and a.recipient_id = any (array(select carillon.people_with(of_phone)));
  calls := array(select a.id from carillon.attempts a
    where a.recipient_id = any (array(select carillon.people_with(of_phone))) and carillon.may_hang_up(a.state, a.call_id) order by a.id);
  insert into carillon.hang_ups (attempt_id) select c from unnest(calls) as c on conflict (attempt_id) do nothing;
  select count(distinct r.campaign_id) into campaigns from carillon.recipients r
  where r.id = any (array(select carillon.people_with(of_phone))) or r.phone = mark or starts_with(r.phone, mark || '.');
  people := carillon.scrub_people(array(
    select r.id from carillon.recipients r where r.id = any (array(select carillon.people_with(of_phone))) and r.state <> 'live'), mark);
  -- The limits of the caller number still count the calls.
  update carillon.phone_calls p set phone = '' where p.phone = of_phone and p.caller is not null;
  delete from carillon.phone_calls p where p.phone = of_phone;
  delete from carillon.lost_calls l where l.phone = carillon.phone_digest(of_phone);
  -- A suppression holds for the mark, and again for the phone when the erasure is lifted.
  delete from carillon.suppressions s where s.phone = mark and exists (
    select from carillon.suppressions o where o.phone = of_phone and o.scope = s.scope);
  update carillon.suppressions s set phone = mark, reason = null where s.phone = of_phone;
  select count(*), max(case when a.state = 'unknown' then a.phone_until else a.deadline_at end) into live, until
  from carillon.attempts a where a.recipient_id = any (array(select carillon.people_with(of_phone)));
  return next;
end $$;

-- Erases phones and names from texts about something else, in which services and receivers said what they were told. A
-- text of one word is ours.
create function carillon.scrub_words(words text[]) returns void language plpgsql as $$
declare
  word text;
begin
  foreach word in array words loop
    update carillon.lanes l set reason = replace(l.reason, word, 'erased'), refused_words = replace(l.refused_words, word, 'erased')
    where (l.reason ~ '\s' and strpos(l.reason, word) > 0) or strpos(l.refused_words, word) > 0;
    update carillon.campaigns c set reason = replace(c.reason, word, 'erased') where c.reason ~ '\s' and strpos(c.reason, word) > 0;
    update carillon.works w set reason = replace(w.reason, word, 'erased') where w.reason ~ '\s' and strpos(w.reason, word) > 0;
    update carillon.webhook_deliveries d set error = replace(d.error, word, 'erased') where strpos(d.error, word) > 0;
  end loop;
end $$;

-- Erases a phone from texts, and from rows of it that imports refused. Apart from the above, because it reads every
-- such row. forms: the digits of the phone, as people write them
create function carillon.scrub_texts(of_phone text, forms text[]) returns void language plpgsql as $$
begin
  update carillon.rejects j set input = '{}'
  where j.input <> '{}' and exists (
    select from jsonb_each_text(j.input) v
    where length(v.value) between 5 and 60 and regexp_replace(v.value, '[^0-9]', '', 'g') = any (forms));
  perform carillon.scrub_words(array[of_phone]);
  update carillon.works w set rejects = replace(w.rejects::text, of_phone, 'erased')::jsonb
  where strpos(w.rejects::text, of_phone) > 0;
  delete from carillon.views v where strpos(v.filter::text, of_phone) > 0;
  -- The act's pieces have its people; a filter that names the person is no longer needed.
  update carillon.works w set asked = '{}', filter = w.filter - 'phones' || '{"people": []}'
  where (w.filter -> 'phones') ? of_phone;
end $$;

-- Whether everything is erased: no live attempt has the phone, no earlier list waits to be read, and no transaction
-- that began before, and may bring the person in, is left. The phone is then forgotten.
create function carillon.finish_erasure(of_phone text, of_hash text) returns boolean language plpgsql as $$
begin
  update carillon.erasures e set sealed = null
  where e.hash = of_hash and e.sealed is not null and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    and not exists (select from carillon.people_with(of_phone))
    and not exists (select from carillon.works w
      where w.kind = 'import' and w.state in ('waiting', 'running') and w.created_at <= e.at);
  return not exists (select from carillon.erasures e where e.hash = of_hash and e.sealed is not null);
end $$;

-- Takes an erasure back, so that the person may be called again: erased data stays erased, and belongs to nobody. The
-- person's other numbers come back too, but for those that were suppressed: nobody can read which they are.
create function carillon.lift_erasure(of_phone text, of_hash text) returns boolean language plpgsql as $$
declare
  lifted text[];
  mark text;
  people bigint[];
begin
  with gone as (
    delete from carillon.erasures e
    where e.sealed is null and exists (select from carillon.erasures o where o.hash = of_hash and o.sealed is null)
      and (e.hash = of_hash or (e.along = of_hash
        and not exists (select from carillon.suppressions s where s.phone = 'erased:' || e.hash)))
    returning 'erased:' || e.hash as mark
  )
  select array_agg(g.mark) into lifted from gone g;
  if lifted is null then return false; end if;
  foreach mark in array lifted loop
    with moved as (
      update carillon.recipients r set phone = 'erased:' || r.id where r.phone = mark or starts_with(r.phone, mark || '.')
      returning r.id
    )
    select array(select m.id from moved m) into people;
    update carillon.ended_attempts e set phone = 'erased:' || e.recipient_id where e.recipient_id = any (people);
  end loop;
  update carillon.suppressions s set phone = of_phone where s.phone = 'erased:' || of_hash and not exists (
    select from carillon.suppressions o where o.phone = of_phone and o.scope = s.scope);
  return true;
end $$;

-- Erases what is older than its retention, for a batch of people in the order of their last moves. Returns whether
-- there may be more.
create function carillon.erase_old(keep_days double precision, most integer) returns boolean language plpgsql
set enable_seqscan = off set enable_sort = off set jit = off
as $$
declare
  kept_from constant timestamptz := now() - make_interval(secs => keep_days * 86400);
  mark carillon.keep_marks%rowtype;
  page record;
begin
  -- One process at a time; the next round reaches the same rows.
  select * into mark from carillon.keep_marks k for update skip locked;
  if not found then return false; end if;
  select count(*) as seen, array_agg(p.id) filter (where p.erased_at is null and p.state in ('done', 'skipped', 'rejected')) as ids,
    (array_agg(p.updated_at order by p.updated_at desc, p.id desc))[1] as at, (array_agg(p.id order by p.updated_at desc, p.id desc))[1] as id
  into page
  from (
    select r.id, r.updated_at, r.state, r.erased_at from carillon.recipients r
    where (r.updated_at, r.id) > (mark.at, mark.id) and r.updated_at < kept_from
    order by r.updated_at, r.id limit most
  ) p;
  if page.seen > 0 then
    perform carillon.scrub_people(coalesce(page.ids, '{}'), null);
    update carillon.keep_marks k set at = page.at, id = page.id;
  end if;
  update carillon.rejects j set input = '{}' where j.id = any (array(
    select x.id from carillon.campaigns c
    cross join lateral (
      select y.id from carillon.rejects y where y.campaign_id = c.id and y.input <> '{}' limit most
    ) x
    where c.state in ('done', 'canceled') and c.updated_at < kept_from limit most));
  update carillon.works w set asked = '{}' where w.asked <> '{}' and w.state <> 'running' and w.ended_at < kept_from;
  return page.seen >= most;
end $$;

-- The fence: admits attempts and claims them in one transaction. An attempt with the verdict 'open' is committed as
-- dialing before its request leaves. It is a function because it must count a cap and check a phone after it has locked
-- the rows: a single statement would still see what was there before it waited.
-- Locks are taken in this order: lane, campaigns by id, phones in their order, attempts. Postgres ends a statement that
-- takes them in another order and deadlocks; it is then run again (database.ts).
-- want: [{id, revision, opens, ticket, agent, policy: the version of the contact rules by which its hours were judged,
-- validUntil: when they close (null: never)}]; hold_ms: how long past its expiry an unresolved attempt keeps its phone.
create function carillon.open_attempts(
  want jsonb, by_dialer text, by_run uuid, lane_cap integer, timeout_ms integer, hold_ms double precision)
returns table (attempt uuid, verdict text) language plpgsql
as $$
declare
  policy carillon.policies%rowtype;
  entry record;
  campaign carillon.campaigns%rowtype;
  headroom integer;
  judged uuid[] := '{}';
  phones text[] := '{}';
  verdicts text[] := '{}';
  closings timestamptz[] := '{}';
  admitted integer := 0;
  taken uuid[];
  barred uuid[];
  -- Those of them that the rules are asked about, and those that they hold.
  bound uuid[] := '{}';
  held uuid[] := '{}';
  admit uuid[];
  opened uuid[];
  moment timestamptz;
  part record;
  -- The request leaves within two seconds, and is given up after its timeout; the rest is for a slow process.
  opening constant interval := '15 seconds';
begin
  -- For this transaction: an acknowledged intent must not be lost, whatever the server's setting or a pooler's. A
  -- clause of the function would be undone before the commit.
  perform set_config('synchronous_commit', 'on', true);
  select * into policy from carillon.policies p order by p.version desc limit 1;
  if lane_cap is not null then
    perform 1 from carillon.lanes l
    where l.id in (select a.lane_id from jsonb_to_recordset(want) as w(id uuid)
                   join carillon.attempts a on a.id = w.id)
    order by l.id for no key update;
  end if;
  for entry in
    select a.campaign_id, min(a.lane_id) as lane_id, array_agg(a.id order by a.planned_at, a.id) as ids,
      bool_or(c.max_calls is not null or not c.proved) as narrow
    from jsonb_to_recordset(want) as w(id uuid)
    join lateral (select x.id, x.campaign_id, x.lane_id, x.planned_at from carillon.attempts x where x.id = w.id offset 0) a
      on a.id = w.id
    join lateral (select x.max_calls, x.proved from carillon.campaigns x where x.id = a.campaign_id offset 0) c on true
    group by a.campaign_id order by a.campaign_id
  loop
    -- A share lock orders this admission against a pause or a cancel; a count needs the row for itself.
    if entry.narrow then
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for no key update;
    else
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for share;
    end if;
    headroom := null;
    if campaign.max_calls is not null then
      headroom := campaign.max_calls - (select count(*) from carillon.attempts a
        where a.campaign_id = campaign.id and a.state in ('dialing', 'placed'));
    end if;
    if not campaign.proved then
      headroom := least(headroom, 1 - (select count(*)::integer from carillon.attempts a
        where a.campaign_id = campaign.id and a.state = 'dialing'));
    end if;
    if lane_cap is not null then
      headroom := least(headroom, lane_cap - admitted - (select count(*)::integer from carillon.attempts a
        where a.lane_id = entry.lane_id and a.state in ('dialing', 'placed')));
    end if;
    for part in
      select a.id, a.phone, w."validUntil" as closes, case
        when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'
        when campaign.state = 'canceled' then 'canceled'
        when campaign.state <> 'running' then 'paused'
        when campaign.driver = 'run' and campaign.run_id is distinct from by_run then 'elsewhere'
        when campaign.driver = 'background' and by_run is not null then 'elsewhere'
        when campaign.revision <> w.revision or w.policy is distinct from policy.version then 'changed'
        when a.lane_state <> 'open' and a.probe_attempt is distinct from a.id then 'closed'
        else 'open' end as say
      from jsonb_to_recordset(want) as w(id uuid, revision integer, opens integer, policy integer, "validUntil" timestamptz)
      -- One by one by key: a plan made while the tables were small must not scan them when they have grown.
      join lateral (
        select x.id, x.state, x.opens, x.campaign_id, x.phone, l.state as lane_state, l.probe_attempt
        from carillon.attempts x
        join carillon.lanes l on l.id = x.lane_id
        where x.id = w.id offset 0
      ) a on a.id = w.id
      where a.campaign_id = campaign.id
      order by array_position(entry.ids, a.id)
    loop
      if part.say = 'open' and headroom is not null then
        headroom := headroom - 1;
        if headroom < 0 then part.say := 'full'; end if;
      end if;
      judged := judged || part.id;
      phones := phones || part.phone;
      verdicts := verdicts || part.say;
      closings := closings || part.closes;
      if part.say = 'open' then
        admitted := admitted + 1;
        if not campaign.ignores_policy then bound := bound || part.id; end if;
      end if;
    end loop;
  end loop;

  -- No two live attempts on one phone: this waits for another attempt that takes the same phone at this moment.
  with fresh as (
    insert into carillon.live_phones as p (phone, attempt_id)
    select j.phone, j.id
    from unnest(judged, phones, verdicts) with ordinality as j(id, phone, say, place)
    where j.say = 'open'
    order by j.phone, j.place
    on conflict (phone) do nothing
    returning p.attempt_id
  )
  select array(select f.attempt_id from fresh f) into taken;
  -- Only now: a suppression takes the phone for a moment too, so that one of the two sees what the other did.
  barred := array(
    select j.id from unnest(judged, phones) as j(id, phone)
    cross join lateral (select x.campaign_id from carillon.attempts x where x.id = j.id offset 0) a
    where j.id = any (taken) and exists (select from carillon.barring(j.phone, a.campaign_id)));
  moment := clock_timestamp();
  -- A statement of its own, now that nobody else can take these phones: it sees every call that they had.
  if policy.caps is not null or policy.gap is not null or policy.conversation is not null then
    with asked as (
      select array_agg(j.phone) as phones, array_agg(j.id) as ids from unnest(judged, phones) as j(id, phone)
      where j.id = any (taken) and j.id = any (bound)
    )
    select array(select a.ids[h.nth] from asked a cross join lateral carillon.judge_phones(
      a.phones, a.ids, moment, policy.caps, policy.gap, policy.conversation) h) into held;
  end if;
  admit := array(
    select j.id from unnest(judged, closings) as j(id, closes)
    where j.id = any (taken) and j.id <> all (barred) and j.id <> all (held) and (j.closes is null or j.closes > moment));
  with moved as (
    update carillon.attempts a
    set state = 'dialing', dialing_at = moment, dialer = by_dialer, ticket = w.ticket,
      agent = w.agent,
      expires_at = clock_timestamp() + make_interval(secs => timeout_ms / 1000.0) + opening,
      holds_until = clock_timestamp() + make_interval(secs => (timeout_ms + hold_ms) / 1000.0) + opening,
      requests = a.requests + 1, opens = a.opens + 1, policy_version = policy.version
    from jsonb_to_recordset(want) as w(id uuid, opens integer, ticket uuid, agent text)
    where a.id = w.id and a.id = any (admit) and a.state = 'planned' and a.opens = coalesce(w.opens, a.opens)
    returning a.id
  )
  select array(select m.id from moved m) into opened;
  if cardinality(opened) < cardinality(taken) then
    -- An attempt that moved at this very moment, or may not call, keeps no phone.
    delete from carillon.live_phones p using unnest(judged, phones) as j(id, phone)
    where j.id = any (taken) and j.id <> all (opened) and p.phone = j.phone and p.attempt_id = j.id;
  end if;
  return query
  select j.id, case
    when j.say <> 'open' or j.id = any (opened) then j.say
    when j.id = any (barred) then 'suppressed'
    when j.id = any (held) then 'held'
    when j.closes <= moment then 'shut'
    when j.id = any (taken)
      or j.id = (select p.attempt_id from carillon.live_phones p where p.phone = j.phone offset 0) then 'moved'
    else 'in-use' end
  from unnest(judged, phones, verdicts, closings) as j(id, phone, say, closes);
end $$;

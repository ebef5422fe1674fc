-- The fence: admits attempts and claims them in one transaction. An attempt with the verdict 'open' is committed as
-- dialing before its request leaves. It is a function because it must count a cap and check a phone after it has locked
-- the rows: a single statement would still see what was there before it waited.
-- One plan for all batches, made once a connection: to make it for each batch took as long as to run it. A plan that is
-- made without the batch knows neither its size nor the tables', so the settings leave it only lookups by key.
-- Locks are taken in this order: lane, campaigns by id, phones in their order, attempts. Postgres ends a statement that
-- takes them in another order and deadlocks; it is then run again (database.ts).
-- want: [{id, revision, opens, ticket, agent, policy: the version of the contact rules by which its hours were judged,
-- validUntil: when they close (null: never), hash: of the phone, where anybody was erased}]; hold_ms: how long past its expiry an unresolved attempt keeps its phone;
-- by_journal: where the dialer notes what it sends (null: nowhere).
create function carillon.open_attempts(
  want jsonb, by_dialer text, by_run uuid, lane_cap integer, timeout_ms integer, hold_ms double precision,
  by_journal uuid default null)
returns table (attempt uuid, verdict text) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  policy carillon.policies%rowtype;
  entry record;
  part record;
  campaign carillon.campaigns%rowtype;
  headroom integer;
  -- Of each attempt, in the order in which it is admitted: what was wanted, and what is said to it so far.
  judged uuid[] := '{}';
  phones text[] := '{}';
  owners uuid[] := '{}';
  seen integer[] := '{}';
  tickets uuid[] := '{}';
  agents text[] := '{}';
  hashes text[] := '{}';
  closings timestamptz[] := '{}';
  verdicts text[] := '{}';
  admitted integer := 0;
  taken uuid[];
  barred uuid[];
  -- The mark of the secret that keys the hashes of erased phones; null when nobody was erased. And whom these are.
  keyed text;
  gone uuid[];
  -- Those of them that the rules are asked about, and those that they hold.
  bound uuid[] := '{}';
  held uuid[] := '{}';
  admit uuid[];
  opened uuid[];
  moment timestamptz;
  -- The request leaves within two seconds, and is given up after its timeout; the rest is for a slow process.
  opening constant interval := '15 seconds';
begin
  -- For this transaction: an acknowledged intent must not be lost, whatever the server's setting or a pooler's. A
  -- clause of the function would be undone before the commit.
  perform set_config('synchronous_commit', 'on', true);
  -- History that was lost may hold calls to these people. Declaring it lost pauses the campaigns, which are locked
  -- below: an opening that passes here a moment before is stopped there.
  if not carillon.is_sound() then
    return query select w.id, 'unsure' from jsonb_to_recordset(want) as w(id uuid);
    return;
  end if;
  select * into policy from carillon.policies p order by p.version desc limit 1;
  select split_part(e.hash, '.', 1) into keyed from carillon.erasures e limit 1;
  if lane_cap is not null then
    perform 1 from carillon.lanes l
    where l.id in (select a.lane_id from jsonb_to_recordset(want) as w(id uuid)
                   join carillon.attempts a on a.id = w.id)
    order by l.id for no key update;
  end if;
  for entry in
    -- What is wanted is read once, and sorted before it is gathered: arrays keep that order.
    select t.campaign_id, min(t.lane_id) as lane_id, bool_or(t.narrow) as narrow, array_agg(t.id) as ids,
      array_agg(t.revision) as revisions, array_agg(t.opens) as seen, array_agg(t.ticket) as tickets,
      array_agg(t.agent) as agents, array_agg(t.policy) as policies, array_agg(t.closes) as closings,
      array_agg(t.hash) as hashes
    from (
      select w.id, w.revision, w.opens, w.ticket, w.agent, w.policy, w."validUntil" as closes, w.hash, a.campaign_id, a.lane_id,
        c.max_calls is not null or not c.proved as narrow
      from jsonb_to_recordset(want) as w(
        id uuid, revision integer, opens integer, ticket uuid, agent text, policy integer, "validUntil" timestamptz, hash text)
      join lateral (select x.campaign_id, x.lane_id, x.planned_at from carillon.attempts x where x.id = w.id offset 0) a
        on true
      join lateral (select x.max_calls, x.proved from carillon.campaigns x where x.id = a.campaign_id offset 0) c on true
      order by a.campaign_id, a.planned_at, w.id
    ) t
    group by t.campaign_id order by t.campaign_id
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
      -- What a run that died was dialling tells nothing about the order that this run tries.
      headroom := least(headroom, 1 - (select count(*)::integer from carillon.attempts a
        where a.campaign_id = campaign.id and a.state = 'dialing' and (by_run is null or a.dialer = by_dialer)));
    end if;
    if lane_cap is not null then
      headroom := least(headroom, lane_cap - admitted - (select count(*)::integer from carillon.attempts a
        where a.lane_id = entry.lane_id and a.state in ('dialing', 'placed')));
    end if;
    select array_agg(f.id) as ids, array_agg(f.phone) as phones, array_agg(f.say) as verdicts, array_agg(f.opens) as seen,
      array_agg(f.ticket) as tickets, array_agg(f.agent) as agents, array_agg(f.closes) as closings,
      array_agg(f.hash) as hashes,
      array_agg(f.id) filter (where f.say = 'open') as open
    into part
    from (
      select j.*, case when j.verdict = 'open'
        and row_number() over (partition by j.verdict = 'open' order by j.nth) > headroom then 'full'
        else j.verdict end as say
      from (
        select w.*, a.phone, case
          when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'
          when campaign.state = 'canceled' then 'canceled'
          when campaign.state <> 'running' then 'paused'
          when campaign.driver = 'run' and campaign.run_id is distinct from by_run then 'elsewhere'
          when campaign.driver = 'background' and by_run is not null then 'elsewhere'
          when campaign.revision <> w.revision or w.policy is distinct from policy.version then 'changed'
          -- By the hash of another secret, an erased person would not be known.
          when split_part(coalesce(w.hash, ''), '.', 1) <> keyed then 'changed'
          when a.lane_state <> 'open' and a.probe_attempt is distinct from w.id then 'closed'
          else 'open' end as verdict
        from unnest(entry.ids, entry.revisions, entry.seen, entry.tickets, entry.agents, entry.policies,
          entry.closings, entry.hashes)
          with ordinality as w(id, revision, opens, ticket, agent, policy, closes, hash, nth)
        -- One by one by key: a plan made while the tables were small must not scan them when they have grown.
        join lateral (
          select x.state, x.opens, x.phone, l.state as lane_state, l.probe_attempt
          from carillon.attempts x
          join carillon.lanes l on l.id = x.lane_id
          where x.id = w.id offset 0
        ) a on true
      ) j
      order by j.nth
    ) f;
    judged := judged || part.ids;
    phones := phones || part.phones;
    owners := owners || array_fill(entry.campaign_id, array[coalesce(cardinality(part.ids), 0)]);
    seen := seen || part.seen;
    tickets := tickets || part.tickets;
    agents := agents || part.agents;
    hashes := hashes || part.hashes;
    closings := closings || part.closings;
    verdicts := verdicts || part.verdicts;
    admitted := admitted + coalesce(cardinality(part.open), 0);
    if not campaign.ignores_policy then bound := bound || part.open; end if;
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
    select j.id from unnest(judged, phones, owners) as j(id, phone, campaign_id)
    where j.id = any (taken) and exists (select from carillon.barring(j.phone, j.campaign_id)));
  -- An erasure takes the phone for a moment, too.
  gone := array(
    select j.id from unnest(judged, hashes) as j(id, hash)
    where keyed is not null and j.id = any (taken) and exists (select from carillon.erasures e where e.hash = j.hash));
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
    select j.id from unnest(judged, closings, hashes) as j(id, closes, hash)
    -- Of who was the first to be erased a moment ago, the dialer had no hash yet.
    where (j.hash is not null or not exists (select from carillon.erasures)) and j.id = any (taken) and j.id <> all (gone) and j.id <> all (barred) and j.id <> all (held)
      and (j.closes is null or j.closes > moment));
  with moved as (
    update carillon.attempts a
    set state = 'dialing', dialing_at = moment, dialer = by_dialer, ticket = w.ticket,
      journal = by_journal, agent = w.agent,
      expires_at = clock_timestamp() + make_interval(secs => timeout_ms / 1000.0) + opening,
      holds_until = clock_timestamp() + make_interval(secs => (timeout_ms + hold_ms) / 1000.0) + opening,
      requests = a.requests + 1, opens = a.opens + 1, policy_version = policy.version
    from unnest(judged, seen, tickets, agents) as w(id, opens, ticket, agent)
    where a.id = w.id and w.id = any (admit) and a.state = 'planned' and a.opens = coalesce(w.opens, a.opens)
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
    when j.id = any (gone) then 'erased'
    when j.id = any (barred) then 'suppressed'
    when j.id = any (held) then 'held'
    when j.closes <= moment then 'shut'
    when j.id = any (taken)
      or j.id = (select p.attempt_id from carillon.live_phones p where p.phone = j.phone offset 0) then 'moved'
    else 'in-use' end
  from unnest(judged, phones, verdicts, closings) as j(id, phone, say, closes);
end $$;

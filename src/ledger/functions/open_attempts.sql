-- The fence: admits attempts and claims them in one transaction. An attempt with the verdict 'open' is committed as
-- dialing before its request leaves. It is made of functions because it must count a cap and check a phone after it has
-- locked the rows: a single statement would still see what was there before it waited.
-- One plan for all batches, made once per connection: planning each batch took as long as running it. A plan that is
-- made without the batch knows neither its size nor the tables', so the settings of open_attempts, which hold in the
-- parts too, leave it only lookups by key.

-- An attempt that a dialer wants to open. `policy`: the version of the contact rules by which its hours were judged;
-- `closes`: when they close (null: never); `hash`: of each of its phones, once anybody was erased. The fence adds its campaign, the
-- phone that is called, all that it `keeps` meanwhile (null: that one), whether the contact rules apply (`bound`) and
-- its `verdict`.
create type carillon.wanted as (
  id uuid, revision integer, opens integer, ticket uuid, agent text, policy integer, closes timestamptz, hash text,
  campaign_id uuid, phone text, keeps text[], bound boolean, verdict text);

-- Lock. A share lock orders an admission against a pause or a cancel; a count of calls or money needs the row for itself.
create function carillon.lock_campaign(campaign uuid, counts boolean) returns carillon.campaigns language plpgsql as $$
declare
  locked carillon.campaigns%rowtype;
begin
  if counts then
    select * into locked from carillon.campaigns c where c.id = campaign for no key update;
  else
    select * into locked from carillon.campaigns c where c.id = campaign for share;
  end if;
  return locked;
end $$;

-- How many more calls of a locked campaign may be in progress (null: no cap). lane_left: what is left of the lane's
-- cap.
create function carillon.places_left(
  campaign carillon.campaigns, lane integer, lane_left integer, by_dialer text, by_run uuid)
returns integer language plpgsql as $$
declare
  places integer;
begin
  if campaign.max_calls is not null then
    places := campaign.max_calls - (select count(*) from carillon.attempts a
      where a.campaign_id = campaign.id and a.state in ('dialing', 'placed'));
  end if;
  if not campaign.proved then
    -- Attempts that a dead run was dialling prove nothing about the order that this run tries, and one that is past its
    -- expiry is not waited for: its row may be what cannot be written.
    places := least(places, 1 - (select count(*)::integer from carillon.attempts a
      where a.campaign_id = campaign.id and a.state = 'dialing' and (by_run is null or a.dialer = by_dialer)
        and a.expires_at > clock_timestamp()));
  end if;
  if lane_left is not null then
    places := least(places, lane_left - (select count(*)::integer from carillon.attempts a
      where a.lane_id = lane and a.state in ('dialing', 'placed')));
  end if;
  return places;
end $$;

-- Judge: which attempts a locked campaign, its lanes and the batch's order allow; the first `places` may open. rules:
-- the version of the contact rules in force; keyed: as in open_attempts.
create function carillon.judge_wanted(
  wants carillon.wanted[], campaign carillon.campaigns, places integer, by_run uuid, rules integer, keyed text)
returns carillon.wanted[] language plpgsql as $$
begin
  return array(
    select (j.id, j.revision, j.opens, j.ticket, j.agent, j.policy, j.closes, j.hash, campaign.id, j.phone, j.keeps,
      not campaign.ignores_policy, case when j.say = 'open'
        and row_number() over (partition by j.say = 'open' order by j.nth) > places then 'full'
        else j.say end)::carillon.wanted
    from (
      select w.id, w.revision, w.opens, w.ticket, w.agent, w.policy, w.closes, w.hash, w.nth, a.phone, a.keeps, case
        when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'
        when campaign.state = 'canceled' then 'canceled'
        when campaign.state <> 'running' then 'paused'
        when campaign.driver = 'run' and campaign.run_id is distinct from by_run then 'elsewhere'
        when campaign.driver = 'background' and by_run is not null then 'elsewhere'
        when campaign.revision <> w.revision or w.policy is distinct from rules then 'changed'
        -- A hash made with another secret would not match an erased person's.
        when split_part(coalesce(w.hash, ''), '.', 1) <> keyed then 'changed'
        when a.lane_state <> 'open' and a.probe_attempt is distinct from w.id then 'closed'
        else 'open' end as say
      from unnest(wants) with ordinality as w(id, revision, opens, ticket, agent, policy, closes, hash, of, phone, keeps, bound, verdict, nth)
      -- Looked up by key: a plan made while the tables were small must not scan them when they have grown.
      join lateral (
        select x.state, x.opens, x.phone, x.keeps, l.state as lane_state, l.probe_attempt
        from carillon.attempts x
        join carillon.lanes l on l.id = x.lane_id
        where x.id = w.id offset 0
      ) a on true
    ) j
    order by j.nth);
end $$;

-- Admit. Takes the phones of the attempts that may open, checks which may not be called, and claims the rest.
create function carillon.admit_wanted(
  judged carillon.wanted[], policy carillon.policies, keyed text, has_budget boolean, by_dialer text, by_run uuid,
  by_journal uuid, timeout_ms integer, keeps_phone_ms double precision, limits_numbers boolean)
returns table (attempt uuid, verdict text) language plpgsql as $$
declare
  -- Attempts that have all their phones, and those that have only some, as another has the rest.
  taken uuid[];
  torn uuid[] := '{}';
  barred uuid[];
  gone uuid[] := '{}';
  held uuid[] := '{}';
  doubted uuid[] := '{}';
  crowded uuid[] := '{}';
  admit uuid[];
  -- Of those that their budgets let pass, in the same places.
  unpaid uuid[] := '{}';
  -- What the run may still open, and those that are more.
  calls_left integer;
  beyond uuid[] := '{}';
  opened uuid[];
  moment timestamptz;
  -- The request leaves within two seconds, and is given up after its timeout; the rest is for a slow process.
  opening constant interval := '15 seconds';
begin
  -- No two live attempts on one phone: this waits for another attempt that is taking the same phone.
  with fresh as (
    insert into carillon.live_phones as p (phone, attempt_id)
    select k.phone, k.id from (
      select unnest(carillon.kept_by(j.phone, j.keeps)) as phone, j.id, j.nth
      from unnest(judged) with ordinality as j(id, revision, opens, ticket, agent, policy, closes, hash, of, phone, keeps, bound, say, nth)
      where j.say = 'open'
    ) k order by k.phone, k.nth
    on conflict (phone) do nothing
    returning p.attempt_id
  )
  select array(select f.attempt_id from fresh f) into taken;
  -- Nobody is called without all of their numbers.
  if exists (select from unnest(judged) j where j.keeps is not null) then
    torn := array(select j.id from unnest(judged) j
      where j.id = any (taken) and cardinality(array_positions(taken, j.id)) < cardinality(carillon.kept_by(j.phone, j.keeps)));
    taken := array(select j.id from unnest(judged) j where j.id = any (taken) and j.id <> all (torn));
  end if;
  -- Checked only now: a suppression takes the phone for a moment too, so that one of the two sees what the other did.
  barred := array(
    select j.id from unnest(judged) j
    where j.id = any (taken) and exists (select from carillon.barring(j.phone, j.campaign_id)));
  -- An erasure also takes the phone for a moment.
  if keyed is not null then
    gone := array(
      select j.id from unnest(judged) j
      where j.id = any (taken) and exists (select from carillon.erasures e where e.hash = any (string_to_array(j.hash, ' '))));
  end if;
  moment := clock_timestamp();
  -- A statement of its own, now that nobody else can take these phones: it sees every call that they had.
  if policy.caps is not null or policy.gap is not null or policy.conversation is not null then
    with asked as (
      select array_agg(j.phone) as phones, array_agg(j.id) as ids from unnest(judged) j
      where j.id = any (taken) and j.bound
    )
    select array(select a.ids[h.nth] from asked a cross join lateral carillon.judge_phones(
      a.phones, a.ids, moment, policy.caps, policy.gap, policy.conversation) h) into held;
  end if;
  -- The phone was called in a part of the history that is lost.
  if exists (select from carillon.lost_calls) then
    doubted := array(
      select j.id from unnest(judged) j
      where j.id = any (taken) and j.id <> all (gone || barred || held)
        and exists (select from carillon.lost_calls l where l.phone = any (array(
          select carillon.phone_digest(k) from unnest(carillon.kept_by(j.phone, j.keeps)) as k))));
  end if;
  -- Caller numbers are locked after the phones, and only where a campaign limits the calls from each.
  if limits_numbers then
    crowded := carillon.full_callers(judged, array(
      select t from unnest(taken) as t
      where t <> all (gone) and t <> all (barred) and t <> all (held) and t <> all (doubted)), moment);
  end if;
  admit := array(
    select j.id from unnest(judged) j
    -- The dialer has no hash if the first person was erased a moment ago.
    where (j.hash is not null or not exists (select from carillon.erasures)) and j.id = any (taken)
      and j.id <> all (gone) and j.id <> all (barred) and j.id <> all (held) and j.id <> all (doubted)
      and j.id <> all (crowded) and (j.closes is null or j.closes > moment));
  -- A run dials one campaign.
  if by_run is not null and cardinality(admit) > 0 then
    select l.calls_left into calls_left from carillon.run_limits l
    where l.campaign_id = (select j.campaign_id from unnest(judged) j where j.id = admit[1]) for update;
    if calls_left is not null then
      beyond := admit[calls_left + 1:];
      admit := admit[:calls_left];
    end if;
  end if;
  -- Money comes last, so that nothing is reserved for a call that is not made.
  if has_budget and cardinality(admit) > 0 then
    unpaid := admit;
    admit := array(select f from carillon.afford(judged, admit) f);
    unpaid := array(select u from unnest(unpaid) u where u <> all (admit));
  end if;
  with moved as (
    update carillon.attempts a
    set state = 'dialing', dialing_at = moment, dialer = by_dialer, ticket = w.ticket,
      journal = by_journal, agent = w.agent,
      expires_at = clock_timestamp() + make_interval(secs => timeout_ms / 1000.0) + opening,
      phone_until = clock_timestamp() + make_interval(secs => (timeout_ms + keeps_phone_ms) / 1000.0) + opening,
      requests = a.requests + 1, opens = a.opens + 1, policy_version = policy.version
    from unnest(judged) w
    where a.id = w.id and w.id = any (admit) and a.state = 'planned' and a.opens = coalesce(w.opens, a.opens)
    returning a.id
  )
  select array(select m.id from moved m) into opened;
  if calls_left is not null and cardinality(opened) > 0 then
    update carillon.run_limits l set calls_left = l.calls_left - cardinality(opened)
    where l.campaign_id = (select j.campaign_id from unnest(judged) j where j.id = opened[1]);
  end if;
  if cardinality(opened) < cardinality(taken || torn) then
    -- An attempt that has just moved, may not call, or lacks one of its phones keeps none.
    perform carillon.free_phones(j.id, carillon.kept_by(j.phone, j.keeps)) from unnest(judged) j
    where j.id = any (taken || torn) and j.id <> all (opened);
  end if;
  if cardinality(doubted) > 0 then perform carillon.doubt_lost(doubted); end if;
  return query
  select j.id, case
    when j.verdict <> 'open' or j.id = any (opened) then j.verdict
    when j.id = any (gone) then 'erased'
    when j.id = any (barred) then 'suppressed'
    when j.id = any (held) then 'held'
    when j.id = any (crowded) then 'number'
    when j.closes <= moment then 'shut'
    when j.id = any (torn) then 'in-use'
    when j.id = any (beyond) then 'full'
    when j.id = any (unpaid) then 'budget'
    when j.id = any (taken)
      or j.id = (select p.attempt_id from carillon.live_phones p where p.phone = j.phone offset 0) then 'moved'
    else 'in-use' end
  from unnest(judged) j;
end $$;

-- Locks are taken in this order: lane, campaigns by id, phones in order, caller numbers in order, the service's budget,
-- attempts. Postgres ends a statement that takes them in another order and deadlocks; it is then run again (database.ts).
-- want: [{id, revision, opens, ticket, agent, policy, validUntil, hash}], as in carillon.wanted; keeps_phone_ms: how
-- long past its expiry an unresolved attempt keeps its phone; by_journal: where the dialer notes what it sends (null:
-- nowhere).
create function carillon.open_attempts(
  want jsonb, by_dialer text, by_run uuid, lane_cap integer, timeout_ms integer, keeps_phone_ms double precision,
  by_journal uuid default null)
returns table (attempt uuid, verdict text) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  policy carillon.policies%rowtype;
  -- The mark of the secret that keys the hashes of erased phones; null when nobody was erased.
  keyed text;
  entry record;
  campaign carillon.campaigns%rowtype;
  places integer;
  said carillon.wanted[];
  judged carillon.wanted[] := '{}';
  admitted integer := 0;
  limits_numbers boolean := false;
  has_budget boolean := false;
begin
  -- Set for this transaction: an acknowledged intent must not be lost, whatever the server's setting or a pooler's. A
  -- clause of the function would be undone before the commit.
  perform set_config('synchronous_commit', 'on', true);
  -- Lost history may hold calls to these people. Declaring it lost pauses the campaigns, which are locked below: an
  -- opening that passes here a moment before is stopped there.
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
    -- The wanted attempts are read once, and sorted before they are gathered: arrays keep that order.
    select t.campaign_id, min(t.lane_id) as lane_id, bool_or(t.counts) as counts, array_agg(t.want) as wants
    from (
      select (w.id, w.revision, w.opens, w.ticket, w.agent, w.policy, w."validUntil", w.hash, a.campaign_id, null,
          null, null, null)::carillon.wanted as want, a.campaign_id, a.lane_id,
        c.max_calls is not null or c.max_cost is not null or not c.proved or c.first_people > c.first_met as counts
      from jsonb_to_recordset(want) as w(
        id uuid, revision integer, opens integer, ticket uuid, agent text, policy integer, "validUntil" timestamptz, hash text)
      join lateral (select x.campaign_id, x.lane_id, x.planned_at from carillon.attempts x where x.id = w.id offset 0) a
        on true
      join lateral (select x.max_calls, x.max_cost, x.proved, x.first_people, x.first_met from carillon.campaigns x where x.id = a.campaign_id offset 0) c on true
      order by a.campaign_id, a.planned_at, w.id
    ) t
    group by t.campaign_id order by t.campaign_id
  loop
    campaign := carillon.lock_campaign(entry.campaign_id, entry.counts);
    limits_numbers := limits_numbers or campaign.per_number_calls is not null or campaign.per_number_day is not null;
    places := null;
    if lane_cap is not null or campaign.max_calls is not null or not campaign.proved then
      places := carillon.places_left(campaign, entry.lane_id, lane_cap - admitted, by_dialer, by_run);
    end if;
    said := carillon.judge_wanted(entry.wants, campaign, places, by_run, policy.version, keyed);
    if campaign.first_people > campaign.first_met then said := carillon.judge_firsts(said, campaign); end if;
    judged := judged || said;
    admitted := admitted + (select count(*) from unnest(said) s where s.verdict = 'open');
    has_budget := has_budget or campaign.max_cost is not null;
  end loop;
  has_budget := has_budget or exists (select from carillon.budgets b where b.base_url = campaign.base_url);
  return query select * from carillon.admit_wanted(
    judged, policy, keyed, has_budget, by_dialer, by_run, by_journal, timeout_ms, keeps_phone_ms, limits_numbers);
end $$;

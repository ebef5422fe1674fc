-- Judges phones by the contact rules of a policy: for each that they hold at a moment, the rule that holds it longest,
-- and until when. Every attempt that may have rung counts from its intent: ended ones, and live ones other than those
-- being judged. It is a function so that it sees what others committed since its caller began, and its settings leave
-- it only the indexes: a plan made while the tables were small must not scan them when they have grown. own: attempts
-- that are not counted, or null; caps: [{calls, seconds}]; gap, conversation: seconds, or null without such a rule.
create function carillon.judge_phones(
  phones text[], own uuid[], moment timestamptz, caps jsonb, gap double precision, conversation double precision)
returns table (nth integer, rule text, until timestamptz) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  counts integer[];
  spans double precision[];
  since timestamptz;
  fewest integer;
  judged uuid[] := coalesce(own, '{}');
begin
  select array_agg(k.calls), array_agg(k.seconds), min(k.calls) into counts, spans, fewest
  from jsonb_to_recordset(caps) as k(calls integer, seconds double precision);
  -- A call that ended before the span of the longest rule can hold nothing: it is not read.
  since := moment - make_interval(secs => greatest((select max(x) from unnest(spans) x), gap, conversation));
  return query
  with calls as materialized (
    select x.phone, x.at, x.ended_at, x.answered from carillon.phone_calls x
    where x.phone = any (phones) and x.ended_at > since and x.at <= moment
    union all
    -- An unknown attempt counts as ended when it may no longer hold its phone, and one whose create was sent again as
    -- begun then: the first may never have arrived.
    select a.phone, greatest(a.dialing_at, a.repeated_at), case when a.state = 'unknown' then a.phone_until else moment end, false
    from carillon.attempts a
    where a.phone = any (phones) and a.state in ('dialing', 'placed', 'unknown') and a.id <> all (judged)
  ), near as (
    -- Few are near a limit: only these are judged one by one.
    select c.phone, max(c.ended_at) as ended, max(c.ended_at) filter (where c.answered) as talked from calls c
    group by c.phone
    having count(*) >= fewest or max(c.ended_at) + make_interval(secs => gap) > moment
      or max(c.ended_at) filter (where c.answered) + make_interval(secs => conversation) > moment
  )
  select p.nth::integer, h.rule, h.until
  from near f
  join unnest(phones) with ordinality as p(phone, nth) on p.phone = f.phone
  cross join lateral (
    select array_agg(c.at order by c.at desc) as starts from calls c where c.phone = f.phone
  ) s
  cross join lateral (
    select r.rule, r.until from (
      select 'cap' as rule, s.starts[k.calls] + make_interval(secs => k.seconds) as until
      from unnest(counts, spans) as k(calls, seconds)
      union all
      select 'gap', f.ended + make_interval(secs => gap)
      union all
      select 'conversation', f.talked + make_interval(secs => conversation)
    ) r
    where r.until > moment order by r.until desc, r.rule limit 1
  ) h;
end $$;

-- Makes a version of the contact rules, unless the newest is the same: under one lock, so that processes that start
-- together make one. Rules from a file are changed in the file: only a file replaces them.
create function carillon.set_policy(
  new_digest text, new_source text, new_body jsonb, new_binding boolean, new_caps jsonb, new_gap double precision,
  new_conversation double precision)
returns table (version integer, made boolean, refused boolean) language plpgsql as $$
declare
  latest carillon.policies%rowtype;
begin
  perform pg_advisory_xact_lock(hashtext('carillon policy'));
  select * into latest from carillon.policies p order by p.version desc limit 1;
  if latest.source = 'file' and latest.binding and new_source <> 'file' then
    return query select latest.version, false, true;
  elsif latest.digest = new_digest and latest.source = new_source then
    return query select latest.version, false, false;
  else
    return query
    insert into carillon.policies (version, digest, source, body, binding, caps, gap, conversation)
    values (coalesce(latest.version, 0) + 1, new_digest, new_source, new_body, new_binding, new_caps, new_gap, new_conversation)
    returning policies.version, true, false;
  end if;
end $$;

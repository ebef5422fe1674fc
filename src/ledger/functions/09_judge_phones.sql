-- What the contact rules of a policy say of phones: of each that they hold at a moment, the rule that holds it longest, and
-- until when. Every attempt that may have rung counts from its intent: those that are over, and the live ones but for
-- the one that is judged. It is a function that sees what others committed since its caller began, and whose settings
-- leave it only the indexes: a plan made while the tables were small must not scan them when they have grown.
-- own: an attempt a phone that is not counted, or null; caps: [{calls, seconds}]; gap, conversation: seconds; null is no
-- such rule.
create function carillon.judge_phones(
  phones text[], own uuid[], moment timestamptz, caps jsonb, gap double precision, conversation double precision)
returns table (nth integer, rule text, until timestamptz) language plpgsql
set enable_seqscan = off set jit = off
as $$
declare
  -- No cap looks further back than its number of calls. The others need the last ends: a call that was unknown for long
  -- may end after later ones.
  most constant integer := greatest(100, (select max(k.calls) from jsonb_to_recordset(caps) as k(calls integer)));
begin
  return query
  select p.nth::integer, h.rule, h.until
  from unnest(phones, own) with ordinality as p(phone, own, nth)
  cross join lateral (
    select array_agg(c.at order by c.at desc) as starts, max(c.ended_at) as ended, max(c.ended_at) filter (where c.answered) as talked
    from (
      (select x.at, x.ended_at, x.answered from carillon.phone_calls x
      where x.phone = p.phone and x.at <= moment order by x.at desc limit most)
      union all
      -- An attempt that is unknown has ended, as far as it is known, when it may no longer hold its phone.
      select a.dialing_at, case when a.state = 'unknown' then a.holds_until else moment end, false
      from carillon.attempts a
      where a.phone = p.phone and a.id is distinct from p.own and a.state in ('dialing', 'placed', 'unknown')
    ) c
    offset 0
  ) f
  cross join lateral (
    select r.rule, r.until from (
      select 'cap' as rule, f.starts[k.calls] + make_interval(secs => k.seconds) as until
      from jsonb_to_recordset(caps) as k(calls integer, seconds double precision)
      union all
      select 'gap', f.ended + make_interval(secs => gap)
      union all
      select 'conversation', f.talked + make_interval(secs => conversation)
    ) r
    where r.until > moment order by r.until desc, r.rule limit 1
  ) h
  where f.starts is not null;
end $$;

-- Creates the past weeks that the demo shows: ends a draft's people as if they had been called over some days, each
-- with the attempts, tallies and points of a chart that real calls leave. Nobody was called. It touches only a campaign
-- whose name says that it is simulated.
-- $1 campaign, $2 lane, $3 how many days ago it began, $4 over how many days, $5 the time zone of its people
with campaign as (
  update carillon.campaigns set state = 'done', created_at = now() - make_interval(days => $3::integer),
    updated_at = now() - make_interval(days => $3::integer - $4::integer),
    since = now() - make_interval(days => $3::integer - $4::integer)
  where id = $1::uuid and state = 'draft' and name like 'demo: %(simulated)'
  returning id
), people as materialized (
  select r.id, r.phone, r.row, c.id as campaign_id, count(*) over () as n
  from carillon.recipients r join campaign c on c.id = r.campaign_id where r.state = 'waiting'
), firsts as (
  select p.*, 1 as number, (p.row * $4::integer / (p.n + 1))::integer as day from people p
), timed as (
  select t.*, 9 + abs(hashtext(t.phone || t.number)) % 10 as hour, abs(hashtext(t.number || t.phone)) as drawn
  from (
    select * from firsts
    -- People who were not reached are tried again on the next day.
    union all
    select f.id, f.phone, f.row, f.campaign_id, f.n, 2, f.day + 1 from firsts f where abs(hashtext('1' || f.phone)) % 100 >= 60
  ) t
), told as materialized (
  -- Ids in the order of the attempts, as those of real calls are, and before theirs.
  select t.*, overlay(gen_random_uuid()::text placing '00' || t.number from 1 for 3)::uuid as attempt_id,
    -- More people answer in the evening.
    case when t.number = 1 and t.drawn % 100 >= 60 then case when t.drawn % 3 = 0 then 'busy' else 'no-answer' end
      when t.drawn % 60 < 22 + 2 * (t.hour - 9) then 'answered'
      when t.drawn % 60 < 52 then 'voicemail' when t.drawn % 60 < 58 then 'no-answer' else 'failed' end as outcome,
    ((date_trunc('day', now() at time zone $5::text) - make_interval(days => $3::integer - t.day)
      + make_interval(hours => t.hour, secs => t.drawn % 3600)) at time zone $5::text) as at
  from timed t
), calls as materialized (
  select t.*, case t.outcome when 'answered' then 35 + t.drawn % 140 when 'voicemail' then 18 + t.drawn % 12 else 0 end as seconds
  from told t where t.at < now() - interval '1 hour'
), attempts as (
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at, dialing_at,
    placed_at, ended_at, call_started_at, call_ended_at, duration, cost, phone, state, was, outcome, agent, call_id, status,
    transcript, currency, local_hour)
  select c.attempt_id, c.id, c.campaign_id, $2::integer, c.number, 1, 3, c.at - interval '2 seconds', c.at, c.at, c.at + e.later,
    c.at + interval '6 seconds', c.at + e.later - interval '2 seconds', c.seconds, round(c.seconds * 0.0015, 4), c.phone, 'done',
    'placed', c.outcome, 'agent_demo', 'simulated-' || c.attempt_id, 'ended',
    case when c.outcome = 'answered' then E'Agent: This is a simulated call.\nCustomer: And I am simulated too.' end,
    'USD', (extract(isodow from c.at at time zone $5::text) - 1) * 24 + c.hour
  from calls c cross join lateral (select make_interval(secs => 10 + c.seconds) as later) e
), rung as (
  insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
  select c.phone, c.at, c.at + make_interval(secs => 10 + c.seconds), c.outcome = 'answered', c.attempt_id from calls c
), ended as (
  update carillon.recipients r set state = 'done', outcome = l.outcome, attempts = l.number, updated_at = l.at
  from (select distinct on (c.id) c.* from calls c order by c.id, c.number desc) l
  where r.id = l.id
), marked as (
  -- The chart has these calls already: the loop that keeps it must not add them at the present.
  insert into carillon.campaign_marks (campaign_id, live, begun, calls, answered, voicemail, no_answer, busy, failed, canceled,
    cost, costed, creates, polls)
  select c.campaign_id, 0, count(*), count(*), count(*) filter (where outcome = 'answered'),
    count(*) filter (where outcome = 'voicemail'), count(*) filter (where outcome = 'no-answer'),
    count(*) filter (where outcome = 'busy'), count(*) filter (where outcome = 'failed'), 0,
    sum(round(c.seconds * 0.0015, 4)), count(*), count(*), 3 * count(*)
  from calls c group by 1
), drawn as (
  insert into carillon.campaign_series (campaign_id, step, at, begun, calls, answered, voicemail, no_answer, busy, failed, cost,
    costed, creates, polls, lags, lag_sum, lag_max)
  select c.campaign_id, s.step, carillon.step_of(c.at, s.step), count(*), count(*), count(*) filter (where outcome = 'answered'),
    count(*) filter (where outcome = 'voicemail'), count(*) filter (where outcome = 'no-answer'),
    count(*) filter (where outcome = 'busy'), count(*) filter (where outcome = 'failed'), sum(round(c.seconds * 0.0015, 4)),
    count(*), count(*), 3 * count(*), count(*), 2 * count(*), 2
  from calls c cross join (values (60), (3600)) as s(step) group by 1, 2, 3
)
select count(*)::integer as calls from calls

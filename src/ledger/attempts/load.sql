-- What a station must know of its live attempts, and the ledger's time, by which it judges the hours. Looked up one by
-- one, as in every verb: a plan made while the tables were small must not scan them when they have grown. Orders are
-- long, so each campaign's comes once, with the first of its attempts.
-- $1 attempt ids, as JSON: of an array Postgres knows the length, which makes it plan the statement each time
select x.*, case when row_number() over (partition by x."campaignId") = 1 then (
  select c.terms - 'override' from carillon.campaigns c where c.id = x."campaignId") end as "order"
from jsonb_array_elements_text($1) as want(id)
cross join lateral (
  select a.id, a.state, a.lane_id as "laneId", a.number, a.caller, a.call_id as "callId", a.polls, a.status, a.opens,
    a.placed_at as "placedAt", a.next_poll_at as "nextPollAt", a.deadline_at as "deadlineAt",
    l.state as "laneState", l.losses as "laneLosses", l.refused_since is not null as "laneRefused", l.probe_attempt = a.id as probe,
    case when a.state in ('planned', 'parked') or a.agent is null
      then carillon.agent_of(r.agent, c.terms, c.id, r.phone) else a.agent end as "agentId",
    -- Needed only for the create, and it may be long.
    case when a.state = 'planned' then coalesce(r.override, nullif(c.terms -> 'override', 'null')) end as override,
    a.recipient_id as "recipientId", a.phone, r.name, r.place,
    carillon.variables_of(r.input, r.variables) as variables,
    r.attempts + case when a.state in ('placed', 'unknown') then 1 else 0 end as attempts, r.granted,
    case when r.attempts > 0 then carillon.tries_of(r.id) else '[]' end as earlier,
    a.state = 'planned' and exists (
      select from carillon.live_phones p where p.phone = a.phone and p.attempt_id <> a.id) as "inUse",
    c.id as "campaignId", c.name as campaign, c.kind, c.state as "campaignState", c.driver, c.run_id as "runId",
    carillon.run_lives(c.run_seen_at) as "runLives", c.revision, c.proved,
    c.ignores_policy as "ignoresPolicy", clock_timestamp() as at
  from carillon.attempts a
  join carillon.recipients r on r.id = a.recipient_id
  join carillon.campaigns c on c.id = a.campaign_id
  join carillon.lanes l on l.id = a.lane_id
  where a.id = want.id::uuid
  offset 0
) x

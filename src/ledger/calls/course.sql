-- One attempt with its person and campaign, and how the attempt before it ended. A plan that was withdrawn is one too.
-- $1 attempt
select r.id as "recipientId", r.row, r.name, r.input, c.name as campaign, a.id, a.number, a.state, a.outcome, a.agent,
  l.name as key, a.caller, a.phone, a.call_id as "callId", a.provider_call_sid as "providerCallSid", a.status, a.duration,
  a.cost, a.planned_at as "plannedAt",
  -- A plan that was taken back keeps the time of its last opening.
  case when coalesce(a.was, a.state) not in ('planned', 'parked') then a.dialing_at end as "dialedAt",
  coalesce(a.call_started_at, a.placed_at) as "startedAt", coalesce(a.call_ended_at, a.ended_at) as "endedAt",
  a.direction, a.contact_id as "contactId", a.transcript, a.recording_url as "recordingUrl",
  a.structured_data as "structuredData", a.metadata, a.record, a.record ->> 'org_id' as "orgId",
  a.record ->> 'agent_id' as "agentId",
  case when a.phone <> '' then coalesce(a.detail, a.reason) end as error,
  a.requests, a.polls, a.next_poll_at as "nextPollAt", a.placed_at as "placedAt", a.ended_at as "overAt",
  p.state as "lastState", p.outcome as "lastOutcome", p.reason as "lastReason", p.ended_at as "lastAt"
from carillon.all_attempts a
join carillon.lanes l on l.id = a.lane_id
cross join lateral (select x.* from carillon.recipients x where x.id = a.recipient_id offset 0) r
cross join lateral (select x.name from carillon.campaigns x where x.id = a.campaign_id and x.deleted_at is null offset 0) c
left join lateral (
  select e.state, e.outcome, e.reason, e.ended_at from carillon.ended_attempts e
  where e.recipient_id = a.recipient_id and e.ended_at <= a.planned_at
    and not (e.state = 'dropped' and e.was in ('planned', 'parked'))
  order by e.ended_at desc limit 1
) p on true
where a.id = $1

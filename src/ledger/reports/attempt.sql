-- One attempt as people see it, with its recipient, campaign and lane. $1 attempt
select a.id, a.state, a.reason, a.detail, a.requests, a.caller, a.lane_id as "laneId", l.name as key,
  a.dialing_at as "dialingAt", carillon.free_from(a.expires_at) as "freeFrom", a.placed_at as "placedAt",
  a.next_poll_at as "nextPollAt", a.ended_at as "endedAt",
  a.call_id as "callId", a.status, a.outcome, a.duration, a.cost, a.transcript,
  a.recording_url as "recordingUrl", a.structured_data as "structuredData",
  r.id as "recipientId", r.row, r.phone, r.name, r.state as "recipientState", r.reason as "recipientReason",
  c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.base_url as "baseUrl",
  coalesce(a.agent, carillon.agent_of(r.agent, c.terms, c.id, r.phone)) as "agentId"
from carillon.all_attempts a
join carillon.people r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where a.id = $1

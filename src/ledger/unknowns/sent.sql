-- What was sent for an attempt that is not over, as far as it is kept. $1 attempt
select a.id, a.state, a.campaign_id as "campaignId", c.base_url as "baseUrl", a.lane_id as "laneId", a.phone, r.name,
  a.agent, a.caller, a.call_id as "callId", carillon.variables_of(r.input, r.variables) as variables,
  coalesce(r.override, nullif(c.terms -> 'override', 'null')) as override, a.requests, a.dialer, a.expires_at as "expiresAt"
from carillon.attempts a
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
where a.id = $1

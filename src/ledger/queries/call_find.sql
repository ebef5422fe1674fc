-- One recipient with the result of the latest attempt. $1 recipient
select r.id, r.row, r.phone, r.name, r.state, r.outcome, r.attempts, r.reason as error, r.input,
  a.call_id as "callId", a.status, a.duration, a.cost, a.transcript, a.recording_url as "recordingUrl",
  a.structured_data as "structuredData", coalesce(a.call_started_at, a.placed_at) as "startedAt",
  coalesce(a.call_ended_at, a.ended_at) as "endedAt", c.id as "campaignId", c.name as campaign
from carillon.recipients r
join carillon.campaigns c on c.id = r.campaign_id
left join lateral (
  select * from carillon.attempts x
  where x.recipient_id = r.id and x.state in ('dialing', 'placed', 'unknown', 'done', 'refused')
  order by x.number desc, x.dialing_at desc limit 1
) a on true
where r.id = $1

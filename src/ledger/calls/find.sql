-- One recipient with the result of the latest attempt. $1 recipient
select r.id, r.row, r.phone, r.name, r.state, r.outcome, r.attempts, r.reason as error, r.input,
  a.call_id as "callId", a.status, a.duration, a.cost, a.transcript, a.recording_url as "recordingUrl",
  a.structured_data as "structuredData", a.started_at as "startedAt", a.ended_at as "endedAt", c.id as "campaignId", c.name as campaign
from carillon.people r
join carillon.campaigns c on c.id = r.campaign_id
left join lateral (
  select * from (
    select x.number, x.dialing_at, x.call_id, x.status, x.duration, x.cost, x.transcript, x.recording_url,
      x.structured_data, coalesce(x.call_started_at, x.placed_at) as started_at,
      coalesce(x.call_ended_at, x.ended_at) as ended_at
    from carillon.ended_attempts x where x.recipient_id = r.id and x.state in ('done', 'refused')
    union all
    select x.number, x.dialing_at, x.call_id, x.status, null, null, null, null, null, x.placed_at, null
    from carillon.attempts x where x.recipient_id = r.id and x.state in ('dialing', 'placed', 'unknown')
  ) x order by x.number desc, x.dialing_at desc limit 1
) a on true
where r.id = $1

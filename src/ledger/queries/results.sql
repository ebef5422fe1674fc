-- Results in input order, a page at a time. $1 campaign, $2 $3 after this row and id, $4 how many
select r.id, r.row, r.phone, r.name, r.state, r.outcome, r.attempts, r.reason as error, r.input,
  a.call_id as "callId", a.status, a.duration, a.cost, a.transcript, a.recording_url as "recordingUrl",
  a.structured_data as "structuredData", coalesce(a.call_started_at, a.placed_at) as "startedAt",
  coalesce(a.call_ended_at, a.ended_at) as "endedAt"
from carillon.recipients r
left join lateral (
  select * from carillon.attempts x
  where x.recipient_id = r.id and x.state in ('dialing', 'placed', 'unknown', 'done', 'refused')
  order by x.number desc, x.dialing_at desc limit 1
) a on true
where r.campaign_id = $1 and (r.row, r.id) > ($2, $3)
order by r.row, r.id limit $4

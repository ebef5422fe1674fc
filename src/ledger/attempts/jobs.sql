-- Attempts that have a job, the oldest plan first: a call to make, or a call to ask for. Live attempts are few. What is
-- looked for is given in one of the forms that it may have; none of them is everything.
-- $1 service, $2 key (null: any), $3 states, $4 $5 after this plan and attempt, $6 how many, $7 whether something is looked
-- for, $8 attempt, $9 campaign, $10 phones, $11 call id
select a.id, a.planned_at::text as place, a.state, a.lane_id as "laneId", l.name as key, l.state as "laneState",
  l.reason as "laneReason", l.probe_at as "probeAt", a.number, a.planned_at as "plannedAt",
  case when a.state <> 'planned' then a.dialing_at end as "dialedAt", a.next_poll_at as "nextPollAt", a.call_id as "callId",
  a.status, a.requests, a.polls, a.recipient_id as "recipientId", a.phone, r.row, r.name, r.place as "where",
  c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives",
  a.state = 'planned' and exists (
    select from carillon.live_phones p where p.phone = a.phone and p.attempt_id <> a.id) as "inUse"
from (
  select x.* from carillon.attempts x
  join carillon.lanes y on y.id = x.lane_id and y.base_url = $1
  where x.state = any ($3::text[]) and ($2::text is null or y.name = $2)
    and ($4::timestamptz is null or (x.planned_at, x.id) > ($4, $5::uuid))
    and (not $7::boolean or x.id = $8::uuid or x.campaign_id = $9::uuid or x.phone = any ($10::text[]) or x.call_id = $11)
  order by x.planned_at, x.id limit $6
) a
join carillon.lanes l on l.id = a.lane_id
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
order by a.planned_at, a.id

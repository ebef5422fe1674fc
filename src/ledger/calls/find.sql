-- Recipients with the result, the latest attempt, and what its campaign says about waiting. $1 recipients
select x.* from unnest($1::bigint[]) as w(id)
cross join lateral (
  select r.*, c.id as "campaignId", c.name as campaign, c.base_url as "baseUrl", c.state as "campaignState",
    c.kind as "campaignKind", c.driver, c.times,
    carillon.run_lives(c.run_seen_at) as "runLives", a.id as attempt, a.state as "attemptState",
    a.call_id as "latestCallId", a.lane_id as "laneId", a.caller, k.name as key, e.record
  from carillon.results r
  join carillon.campaigns c on c.id = r.campaign_id
  left join lateral (
    select y.id, y.state, y.call_id, y.lane_id, y.caller from carillon.all_attempts y where y.recipient_id = r.id
    order by y.number desc, y.planned_at desc limit 1
  ) a on true
  left join carillon.lanes k on k.id = a.lane_id
  left join lateral (
    select z.record from carillon.ended_attempts z where z.recipient_id = r.id and z.call_id = r."callId"
    order by z.number desc limit 1
  ) e on true
  where r.id = w.id offset 0
) x

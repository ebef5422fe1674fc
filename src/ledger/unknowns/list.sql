-- What waits for a person, the oldest first.
-- $1 service, $2 campaign, of any service (null: all of this one), $3 how many (null: all), $4 after this attempt
-- (null: from the first), $5 only this attempt, of any service (null: all)
select a.id as attempt, a.number, c.name as campaign, r.id as recipient, r.row, r.phone, r.name, a.reason, a.detail, l.name as key,
  a.agent, a.caller, a.call_id as "callId", a.status, a.dialing_at as "dialingAt",
  a.placed_at as "placedAt", carillon.free_from(a.expires_at) as "freeFrom",
  a.holds_until as "holdsUntil",
  c.terms ->> 'onUnknown' as "onUnknown", r.redials
from carillon.attempts a
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where a.state = 'unknown' and case when $5::uuid is not null then a.id = $5 when $2::uuid is null then c.base_url = $1
    else c.id = $2 end
  and ($4::uuid is null or (a.dialing_at, a.id) > (select x.dialing_at, x.id from carillon.all_attempts x where x.id = $4))
order by a.dialing_at, a.id limit $3

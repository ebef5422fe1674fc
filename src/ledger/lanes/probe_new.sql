-- Nobody is planned or parked on a lane that creates no calls: a waiting row is planned as its probe, in the statement
-- that makes it the probe, so that no plan is left on a lane that dials nobody.
-- $1 lane, $2 campaign, $3 places that are open now (null: no window)
with lane as (
  select l.id from carillon.lanes l where l.id = $1 and carillon.probe_is_due(l) for update of l
), due as (
  select r.id, r.row, r.phone, r.attempts from carillon.recipients r, lane
  where r.campaign_id = $2 and r.state = 'waiting' and r.next_at <= now()
    and ($3::text[] is null or r.place = any ($3::text[]))
    and not exists (select from carillon.barring(r.phone, r.campaign_id))
    and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
  order by r.next_at, r.row limit 1 for update of r skip locked
), made as (
  insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, caller)
  select carillon.new_id(), $2, d.id, $1, d.phone, d.attempts + 1, carillon.caller_of(c.terms, d.row + d.attempts)
  from due d join carillon.campaigns c on c.id = $2
  where c.state = 'running'
  returning id, recipient_id
), moved as (
  update carillon.recipients r set state = 'live', reason = null, updated_at = now()
  from made m where r.id = m.recipient_id
), asked as (
  update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
  from made m where l.id = $1
)
select id from made

-- name: probe_now
-- A run that starts probes at once, but not while a probe is in progress. Probes for credit start again with small
-- gaps; those of an outage keep their gaps.
update carillon.lanes l set probe_at = now(), probe_attempt = null,
  probe_gap_ms = case when l.state = 'out_of_credit' then 5000 else l.probe_gap_ms end
where l.base_url = @baseUrl and l.state in ('failing', 'out_of_credit')
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing')

-- name: next_probe
-- The oldest attempt of a lane that creates no calls, which its next probe is to be, but nobody whose window is closed.
-- It is chosen apart from what moves it, so that a row that cannot be written is known, and passed over.
-- @campaignId: the run's campaign (null: background); @open: [{id, places}]: who may be called now (null: all); @aside:
-- the ids of all that is set aside, not of attempts only
select a.id
from carillon.lanes l
join carillon.attempts a on a.lane_id = l.id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.recipients r on r.id = a.recipient_id
where l.id = @laneId and carillon.probe_is_due(l) and a.state in ('planned', 'parked') and c.state = 'running'
  and a.id::text <> all (@aside::text[])
  and not carillon.others_have(carillon.kept_by(a.phone, a.keeps), a.id)
  and ((@campaignId::uuid is null and c.driver = 'background') or c.id = @campaignId)
  and (@open::jsonb is null or exists (
    select from jsonb_to_recordset(@open::jsonb) as w(id uuid, places text[])
    where w.id = c.id and (w.places is null or r.place = any (w.places))))
order by a.planned_at, r.row, a.id limit 1

-- name: probe_new
-- Nobody is planned or parked on a lane that creates no calls: a waiting row is planned as its probe, in the statement
-- that makes it the probe, so that no plan is left on a lane that dials nobody.
-- @places: that are open now (null: no window)
with lane as (
  select l.id from carillon.lanes l where l.id = @laneId and carillon.probe_is_due(l) for update of l
), due as (
  select r.id, r.row, r.phone, r.several, r.attempts from carillon.recipients r, lane
  where r.campaign_id = @campaignId and r.state = 'waiting' and r.next_at <= now()
    and (@places::text[] is null or r.place = any (@places::text[]))
    and not exists (select from carillon.barring(r.phone, r.campaign_id))
    and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
    and (not r.several or carillon.others_free(r.id))
  order by r.next_at, r.row limit 1 for update of r skip locked
), made as (
  insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, keeps, number, caller)
  select carillon.new_id(), @campaignId, d.id, @laneId, d.phone, case when d.several
    then carillon.phones_of(d.id) end, d.attempts + 1, f.caller
  from due d join carillon.campaigns c on c.id = @campaignId
  cross join lateral carillon.caller_for(@campaignId, @laneId, d.id) as f(caller)
  where c.state = 'running' and (f.caller is not null or not c.has_callers)
  returning id, recipient_id
), moved as (
  update carillon.recipients r set state = 'live', reason = null, updated_at = now()
  from made m where r.id = m.recipient_id
), asked as (
  update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
  from made m where l.id = @laneId
)
select id from made

-- name: probe_with
-- Sends an attempt of a lane that creates no calls ahead as its one probe. The next probe may start when this one has
-- had its time, so a probe that dies with its process blocks nothing; but never while it is in progress.
with due as (
  select l.id from carillon.lanes l where l.id = @laneId and carillon.probe_is_due(l) for update of l
), moved as (
  update carillon.attempts a set state = 'planned' from due d
  where a.id = @attemptId and a.lane_id = d.id and a.state in ('planned', 'parked')
    and (select c.state from carillon.campaigns c where c.id = a.campaign_id) = 'running'
  returning a.id
)
update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
from moved m where l.id = @laneId
returning l.id

-- name: probing
-- Whether this attempt is the probe of a lane that creates no calls: only its answer may open the lane, because others
-- in flight may have left before the lane closed.
select id from carillon.lanes where id = @laneId and state in ('failing', 'out_of_credit')
  and probe_attempt = @attemptId

-- name: windows
-- The campaigns of a scope that dial, with what decides whether any of their people may be called now.
-- @campaignId: the run's campaign (null: background)
select c.id, c.times,
  (select coalesce(array_agg(z.place), '{}') from carillon.campaign_places z where z.campaign_id = c.id) as places
from carillon.campaigns c
where c.base_url = @baseUrl and c.state = 'running'
  and ((@campaignId::uuid is null and c.driver = 'background') or c.id = @campaignId)

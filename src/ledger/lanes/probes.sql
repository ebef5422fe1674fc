-- name: probe_now
-- A run that starts probes at once, but not while a probe is in progress. Probes for credit start again with small
-- gaps; those of an outage keep their gaps. $1 service
update carillon.lanes l set probe_at = now(), probe_attempt = null,
  probe_gap_ms = case when l.state = 'out_of_credit' then 5000 else l.probe_gap_ms end
where l.base_url = $1 and l.state in ('failing', 'out_of_credit')
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing')

-- name: next_probe
-- The oldest attempt of a lane that creates no calls, which its next probe is to be, but nobody whose window is closed.
-- It is chosen apart from what moves it, so that a row that cannot be written is known, and passed over.
-- $1 lane, $2 the run's campaign (null: background), $3 [{id, places}]: who may be called now (null: all), $4 attempts
-- that are set aside
select a.id
from carillon.lanes l
join carillon.attempts a on a.lane_id = l.id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.recipients r on r.id = a.recipient_id
where l.id = $1 and carillon.probe_is_due(l) and a.state in ('planned', 'parked') and c.state = 'running'
  and a.id <> all ($4::uuid[])
  and not carillon.others_have(carillon.kept_by(a.phone, a.keeps), a.id)
  and (($2::uuid is null and c.driver = 'background') or c.id = $2)
  and ($3::jsonb is null or exists (
    select from jsonb_to_recordset($3::jsonb) as w(id uuid, places text[])
    where w.id = c.id and (w.places is null or r.place = any (w.places))))
order by a.planned_at, r.row, a.id limit 1

-- name: probe_new
-- Nobody is planned or parked on a lane that creates no calls: a waiting row is planned as its probe, in the statement
-- that makes it the probe, so that no plan is left on a lane that dials nobody.
-- $1 lane, $2 campaign, $3 places that are open now (null: no window)
with lane as (
  select l.id from carillon.lanes l where l.id = $1 and carillon.probe_is_due(l) for update of l
), due as (
  select r.id, r.row, r.phone, r.several, r.attempts from carillon.recipients r, lane
  where r.campaign_id = $2 and r.state = 'waiting' and r.next_at <= now()
    and ($3::text[] is null or r.place = any ($3::text[]))
    and not exists (select from carillon.barring(r.phone, r.campaign_id))
    and not exists (select from carillon.phones_in_use u where u.phone = r.phone offset 0)
    and (not r.several or carillon.others_free(r.id))
  order by r.next_at, r.row limit 1 for update of r skip locked
), made as (
  insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, keeps, number, caller)
  select carillon.new_id(), $2, d.id, $1, d.phone, case when d.several then carillon.phones_of(d.id) end, d.attempts + 1, f.caller
  from due d join carillon.campaigns c on c.id = $2
  cross join lateral carillon.caller_for($2, $1, d.id) as f(caller)
  where c.state = 'running' and (f.caller is not null or not c.has_callers)
  returning id, recipient_id
), moved as (
  update carillon.recipients r set state = 'live', reason = null, updated_at = now()
  from made m where r.id = m.recipient_id
), asked as (
  update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
  from made m where l.id = $1
)
select id from made

-- name: probe_with
-- Sends an attempt of a lane that creates no calls ahead as its one probe. The next probe may start when this one has had
-- its time, so a probe that dies with its process blocks nothing; but never while it is in progress.
-- $1 lane, $2 attempt
with due as (
  select l.id from carillon.lanes l where l.id = $1 and carillon.probe_is_due(l) for update of l
), moved as (
  update carillon.attempts a set state = 'planned' from due d
  where a.id = $2 and a.lane_id = d.id and a.state in ('planned', 'parked')
    and (select c.state from carillon.campaigns c where c.id = a.campaign_id) = 'running'
  returning a.id
)
update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
from moved m where l.id = $1
returning l.id

-- name: probing
-- Whether this attempt is the probe of a lane that creates no calls: only its answer may open the lane, because others
-- in flight may have left before the lane closed. $1 lane, $2 attempt
select id from carillon.lanes where id = $1 and state in ('failing', 'out_of_credit') and probe_attempt = $2

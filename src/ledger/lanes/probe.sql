-- Sends the oldest attempt of a lane that creates no calls ahead as its one probe, but nobody whose window is closed.
-- The next probe may start when this one has had its time, so a probe that dies with its process blocks nothing; but
-- never while it is in progress.
-- $1 lane, $2 the run's campaign (null: background), $3 [{id, places}]: who may be called now (null: all)
with due as (
  select l.id from carillon.lanes l where l.id = $1 and carillon.probe_is_due(l) for update of l
), chosen as (
  select a.id
  from carillon.attempts a
  join carillon.campaigns c on c.id = a.campaign_id
  join carillon.recipients r on r.id = a.recipient_id, due d
  where a.lane_id = d.id and a.state in ('planned', 'parked') and c.state = 'running'
    and not exists (select from carillon.live_phones p where p.phone = a.phone)
    and (($2::uuid is null and c.driver = 'background') or c.id = $2)
    and ($3::jsonb is null or exists (
      select from jsonb_to_recordset($3::jsonb) as w(id uuid, places text[])
      where w.id = c.id and (w.places is null or r.place = any (w.places))))
  order by a.planned_at, r.row, a.id limit 1 for update of a skip locked
), moved as (
  update carillon.attempts a set state = 'planned' from chosen x where a.id = x.id returning a.id
), lane as (
  update carillon.lanes l set probe_attempt = m.id, probe_at = carillon.next_probe(l)
  from moved m where l.id = $1
)
select id from moved

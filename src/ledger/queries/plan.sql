-- Claims who is due on one campaign for one lane. SKIP LOCKED, so that two planners share the work. A suppression
-- may cross with an import or the end of a call, and leave somebody waiting: who is met here is taken off.
-- $1 campaign, $2 lane, $3 how many, $4 zone sets that are open now (null: no window)
with due as (
  select r.id, r.row, r.attempts, exists (select from carillon.suppressions s where s.phone = r.phone) as barred
  from carillon.recipients r
  where r.campaign_id = $1 and r.state = 'waiting' and r.next_at <= now()
    and ($4::text[] is null or r.zones = any ($4::text[]))
  order by r.next_at, r.row
  limit $3
  for update of r skip locked
), off as (
  update carillon.recipients r
  set state = case when r.outcome is null then 'skipped' else 'done' end, reason = 'suppressed', updated_at = now()
  from due d where r.id = d.id and d.barred
), made as (
  insert into carillon.attempts (campaign_id, recipient_id, lane_id, number, caller)
  select $1, d.id, $2, d.attempts + 1,
    case when jsonb_array_length(c.callers) > 0
      then c.callers -> ((d.row + d.attempts) % jsonb_array_length(c.callers)) end
  from due d join carillon.campaigns c on c.id = $1
  where c.state = 'running' and not d.barred
  returning id, recipient_id
), moved as (
  update carillon.recipients r set state = 'queued', attempt_id = m.id, updated_at = now()
  from made m where r.id = m.recipient_id
)
select id from made

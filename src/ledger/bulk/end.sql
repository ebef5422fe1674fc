-- Ends an act before its last piece: stopped by a person, or failed. What was done stays done. $1 act, $2 state, $3 code,
-- $4 reason
with ended as (
  update carillon.bulk_acts b set state = $2, code = $3, reason = $4, since = now(), ended_at = now()
  where b.id = $1 and b.state = 'running'
  returning b.id
), gone as (
  delete from carillon.bulk_pieces p using ended e where p.act_id = e.id
), told as (
  insert into carillon.outbox (type, subject) select 'bulk.done', e.id::text from ended e
)
select e.id from ended e

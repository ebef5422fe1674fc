-- A piece is done, in the transaction that did it; the last one ends the act. One that was stopped meanwhile stays
-- stopped. $1 act, $2 how many people it had, $3 of how many the act was done, $4 how many were passed over by reason
with gone as (
  delete from carillon.bulk_pieces p using carillon.bulk_acts b where b.id = $1 and p.act_id = b.id and p.n = b.piece
), moved as (
  update carillon.bulk_acts b set piece = b.piece + 1, seen = b.seen + $2::integer, done = b.done + $3::integer,
    passed = b.passed || coalesce((
      select jsonb_object_agg(w.key, w.value::integer + coalesce((b.passed ->> w.key)::integer, 0))
      from jsonb_each_text($4::jsonb) w), '{}'),
    state = e.state, since = case when e.state = b.state then b.since else now() end,
    ended_at = case when e.state = 'done' then now() else b.ended_at end
  from (
    select x.id, case when x.state = 'running' and x.seen + $2::integer >= x.people then 'done' else x.state end as state
    from carillon.bulk_acts x where x.id = $1
  ) e
  where b.id = e.id
  returning b.id, b.state
)
insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from moved m where m.state = 'done'

-- People of exports that ended some time ago, and acts that ended long ago. $1 days for the people, $2 for the acts
with gone as (
  delete from carillon.bulk_pieces p using carillon.bulk_acts b
  where b.id = p.act_id and b.ended_at < now() - $1::integer * interval '1 day'
)
delete from carillon.bulk_acts b where b.ended_at < now() - $2::integer * interval '1 day'

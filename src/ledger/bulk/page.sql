-- Acts, the latest first. $1 $2 before this time and id, in microseconds, $3 how many, $4 only this one (null: any)
select b.id, b.act, b.asked, b.options, b.state, b.code, b.reason, b.since, b.people, b.seen, b.done, b.passed,
  b.created_at as "createdAt", b.ended_at as "endedAt", (extract(epoch from b.created_at) * 1000000)::bigint as at
from carillon.bulk_acts b
where ($4::uuid is null or b.id = $4)
  and (b.created_at, b.id) < (timestamptz 'epoch' + $1::double precision * interval '1 microsecond', $2::uuid)
order by b.created_at desc, b.id desc limit $3

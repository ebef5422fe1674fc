-- The people who moved in a span of time, the latest first. `at` is in microseconds, as two that differ in them have an
-- order. $1 before this time, in microseconds, $2 and this recipient, $3 since (null: ever), $4 how many
select r.id, (extract(epoch from r.updated_at) * 1000000)::bigint as at from carillon.recipients r
where (r.updated_at, r.id) < (timestamptz 'epoch' + $1::double precision * interval '1 microsecond', $2::bigint)
  and r.updated_at >= coalesce($3::timestamptz, '-infinity')
order by r.updated_at desc, r.id desc limit $4

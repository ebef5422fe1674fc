-- Imports, the latest first. $1 only of this campaign (null: of any), $2 $3 before this time and id, in microseconds,
-- $4 how many, $5 only this one (null: any)
select i.id, c.name as campaign, c.state as "campaignState", i.state, i.code, i.reason, i.since, i.format, i.bytes,
  i.bytes_read as "bytesRead", i.rows_read as "rowsRead", i.accepted, i.rejected, i.rejects, i.created_at as "createdAt",
  i.ended_at as "endedAt", (extract(epoch from i.created_at) * 1000000)::bigint as at
from carillon.imports i join carillon.campaigns c on c.id = i.campaign_id
where ($5::uuid is null or i.id = $5) and ($1::uuid is null or i.campaign_id = $1)
  and (i.created_at, i.id) < (timestamptz 'epoch' + $2::double precision * interval '1 microsecond', $3::uuid)
order by i.created_at desc, i.id desc limit $4

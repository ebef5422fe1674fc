-- Campaigns that may have called people since a time: all that are not over, as one that rested may have been started in the
-- history that is gone. $1 since when
select c.id, c.name from carillon.campaigns c
where c.state in ('draft', 'running', 'paused') and c.deleted_at is null
  and (c.ends_at is null or c.ends_at::timestamptz > $1::timestamptz)
order by c.created_at, c.id

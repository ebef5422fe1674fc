-- How many people would become unknown if history is missing since a time: everyone whom the campaigns of lineage/since
-- would call, by their tallies, and who is on a call with attempts left. $1 since when
select c.id, c.name, (coalesce((s.tally ->> 'waiting')::numeric, 0) + coalesce((s.tally ->> 'parked')::numeric, 0)
  + coalesce((s.live ->> 'planned')::numeric, 0) + coalesce((s.live ->> 'parked')::numeric, 0)
  + (select count(*) from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.call_id is not null and a.followed_by ->> 'at' is null
      and r.attempts + 1 < greatest(c.max_attempts, r.granted)))::integer as people
from carillon.campaigns c join carillon.standings s on s.id = c.id
where c.state in ('draft', 'running', 'paused') and c.deleted_at is null
  and (c.ends_at is null or c.ends_at::timestamptz > $1::timestamptz)
order by c.created_at, c.id

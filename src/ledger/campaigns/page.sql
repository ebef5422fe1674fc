-- The campaigns that have their names today, the newest first, each with its counts.
-- $1 after this campaign (null: from the first), $2 how many, $3 only in these states (null: any), $4 only this name
-- (null: any), $5 only of these kinds (null: any)
select c.id, c.name, c.kind, c.state, c.reason, c.driver, c.base_url as "baseUrl",
  carillon.run_lives(c.run_seen_at) as "runLives", c.created_at as "createdAt", c.terms, c.revision,
  s.tally, s.live, s.requests, s.polls
from (
  select * from carillon.campaigns p
  where p.superseded_at is null
    and ($3::text[] is null or p.state = any ($3))
    and ($4::text is null or p.name = $4)
    and ($5::text[] is null or p.kind = any ($5))
    and ($1::uuid is null or (p.created_at, p.id) < (select l.created_at, l.id from carillon.campaigns l where l.id = $1))
  order by p.created_at desc, p.id desc limit $2
) c
join carillon.standings s on s.id = c.id
order by c.created_at desc, c.id desc

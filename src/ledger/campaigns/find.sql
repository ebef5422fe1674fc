-- The campaign that has this name today, or this id. $1 name or id
select c.id, c.name, c.kind, c.base_url as "baseUrl", c.state, c.reason, c.driver, c.run_id as "runId",
  carillon.run_lives(c.run_seen_at) as "runLives", c.terms, c.columns, c.created_at as "createdAt",
  c.revision, c.reopening
from carillon.campaigns c
where ((c.name = $1 and c.superseded_at is null) or c.id::text = $1) and c.deleted_at is null
order by (c.id::text = $1) desc limit 1

-- New options for what is not yet planned. A person who waits for another attempt, but has had as many as are now
-- allowed, is done. A change names the revision that it was made from: it changes nothing when another change came
-- between. $1 id, $2 the order, $3 that revision (null: any), $4 another name (null: it keeps its own)
-- long
with before as (
  select id, max_attempts from carillon.campaigns
  where id = $1 and ($3::integer is null or revision = $3::integer) for no key update
), campaign as (
  update carillon.campaigns c set terms = $2, name = coalesce($4, c.name), revision = c.revision + 1, updated_at = now(),
    most_attempts = greatest(c.most_attempts, b.max_attempts, ($2::jsonb ->> 'maxAttempts')::integer),
    reopening = case when ($2::jsonb ->> 'maxAttempts')::integer > b.max_attempts then c.revision + 1 else c.reopening end
  from before b where c.id = b.id
  returning c.id, c.max_attempts, b.max_attempts as allowed
), spent as (
  update carillon.recipients r set state = 'done', reason = null, held = null, held_under = null, retry_at = null,
    updated_at = now()
  from campaign c
  where c.max_attempts < c.allowed and r.campaign_id = c.id and r.state = 'waiting'
    and r.outcome is not null and r.attempts >= greatest(c.max_attempts, r.granted)
)
select c.id from campaign c
